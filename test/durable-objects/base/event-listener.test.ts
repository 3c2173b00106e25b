/** One listener's queue: what waits, what is dropped, and how it ends. */

import { describe, expect, it } from 'vitest'
import { createEventListener } from '#objects/base/event-listener.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = async (body: ReadableStream<Uint8Array>) => new Response(body).text()

describe('createEventListener()', () => {
  it('reads the opening, then what is offered, in order, and the reason of the end', async () => {
    const listener = createEventListener([bytes('a'), bytes('b')])
    listener.offer(bytes('c'))
    listener.close('done')
    listener.offer(bytes('too late'))
    listener.close('twice')
    expect(await text(listener.body)).toBe('abc: done\n\n')
  })

  it('wakes a reader that waits', async () => {
    const listener = createEventListener([])
    const reading = text(listener.body)
    await Promise.resolve()
    listener.offer(bytes('news'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    listener.close('done')
    expect(await reading).toBe('news: done\n\n')
  })

  it('ends the stream of a reader that does not read, instead of leaving something out', async () => {
    const listener = createEventListener([])
    let left = 0
    listener.onClose(() => {
      left += 1
    })
    for (let index = 0; index < 1000; index++) listener.offer(bytes('x'))
    expect(left).toBe(1)
    expect(await text(listener.body)).toMatch(/^x*: closed: 100 events were waiting and were not read\n\n$/)
  })

  it('calls onClose when the reader cancels', async () => {
    const listener = createEventListener([])
    const left = new Promise<void>((resolve) => listener.onClose(resolve))
    await listener.body.cancel()
    await left
  })
})
