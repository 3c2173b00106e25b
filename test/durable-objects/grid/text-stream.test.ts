/** Long answers: made only as fast as they are read, with room for everything else in between. */

import { describe, expect, it, vi } from 'vitest'
import { streamPieces } from '#objects/grid/text-stream.ts'

const piece = 'x'.repeat(20_000)

describe('streamPieces()', () => {
  it('streams text and octets in order', async () => {
    const octets = new TextEncoder().encode('é')
    expect(await new Response(streamPieces(['a', octets, '', 'b'])).text()).toBe('aéb')
    expect(await new Response(streamPieces([])).text()).toBe('')
  })

  it('lets timers run between any two large pieces', async () => {
    const order: string[] = []
    function* pieces() {
      for (let count = 0; count < 30; count++) {
        order.push('piece')
        yield piece
      }
    }
    let isOver = false
    const others = (async () => {
      while (!isOver) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        order.push('other')
      }
    })()
    const text = await new Response(streamPieces(pieces())).text()
    isOver = true
    await others
    expect(text.length).toBe(30 * piece.length)
    expect(order.join(' ')).not.toContain('piece piece piece')
  })

  it('makes nothing more for a reader that takes nothing, and ends the pieces when it leaves', async () => {
    let made = 0
    let isEnded = false
    function* pieces() {
      try {
        for (;;) {
          made += 1
          yield piece
        }
      } finally {
        isEnded = true
      }
    }
    const reader = streamPieces(pieces()).getReader()
    await reader.read()
    await reader.cancel()
    await vi.waitFor(() => expect(isEnded).toBe(true))
    expect(made).toBeLessThan(4)
  })

  it('fails the reading when a piece cannot be made', async () => {
    function* pieces() {
      yield piece
      throw new Error('no more')
    }
    await expect(new Response(streamPieces(pieces())).text()).rejects.toThrow('no more')
  })
})
