/** Bodies: read whole up to their bound and not beyond it, written without a length. */

import { describe, expect, it } from 'vitest'
import { readBody, toStream } from '#proto-json/grpc-web/body.ts'

const bytes = (length: number) => new Uint8Array(length).fill(7)

/** A body in chunks of ten bytes without an announced length, and how many chunks were taken of it. */
function chunked(chunks: number) {
  let [taken, isCancelled] = [0, false]
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken === chunks) controller.close()
        else {
          taken += 1
          controller.enqueue(bytes(10))
        }
      },
      cancel() {
        isCancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body: new Response(stream), taken: () => taken, isCancelled: () => isCancelled }
}

const tooLong = (most: number) => `Cannot read message: it is too long, expected at most ${most} bytes`

describe('readBody()', () => {
  it('reads a body whose length is announced, up to the bound', async () => {
    const headers = { 'content-length': '20' }
    expect(await readBody(new Response(bytes(20), { headers }), 20)).toEqual(bytes(20))
  })

  it('refuses an announced length beyond the bound, or one that is not a number, before it reads', async () => {
    for (const length of ['21', 'many']) {
      const source = new Response(bytes(20), { headers: { 'content-length': length } })
      await expect(readBody(source, 20)).rejects.toMatchObject({ code: 'message_too_large', message: tooLong(20) })
      expect(source.bodyUsed).toBe(false)
    }
  })

  it('joins chunks up to the bound', async () => {
    expect(await readBody(chunked(3).body, 30)).toEqual(bytes(30))
    expect(await readBody(chunked(0).body, 30)).toEqual(bytes(0))
  })

  it('cancels a body at the first chunk beyond the bound, and states the bound of a message', async () => {
    const { body, taken, isCancelled } = chunked(1_000)
    await expect(readBody(body, 35, 30)).rejects.toThrow(tooLong(30))
    expect([taken(), isCancelled()]).toEqual([4, true])
  })

  it('reads a missing body as an empty one', async () => {
    expect(await readBody(new Response(null), 0)).toEqual(bytes(0))
  })
})

describe('streamOf()', () => {
  it('gives the bytes and ends', async () => {
    expect(new Uint8Array(await new Response(toStream(bytes(9))).arrayBuffer())).toEqual(bytes(9))
  })

  it('leaves an answer without a length', () => {
    expect(new Response(toStream(bytes(9))).headers.has('content-length')).toBe(false)
  })
})
