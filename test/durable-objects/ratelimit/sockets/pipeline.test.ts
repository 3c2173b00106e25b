/** Pipeline: when waiting commands are written, by REDIS_PIPELINE_WINDOW and REDIS_PIPELINE_LIMIT. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pipeline, type PipelineOptions } from '#objects/ratelimit/sockets/pipeline.ts'

const written: string[] = []
const timeoutMs = 60_000

vi.mock('cloudflare:sockets', () => ({
  connect: () => ({
    opened: Promise.resolve(),
    readable: new ReadableStream(),
    writable: new WritableStream<Uint8Array>({
      write(chunk) {
        written.push(new TextDecoder().decode(chunk))
      },
    }),
    close: async () => {},
  }),
}))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  written.length = 0
})
afterEach(() => {
  vi.useRealTimers()
})

function open(flush: Pick<PipelineOptions<string>, 'flushMs' | 'flushLimit'>) {
  const ends: string[] = []
  const pipeline = new Pipeline<string>(
    { host: 'redis.example', port: 6379, tls: false },
    {
      read: () => ({ replies: [], rest: new Uint8Array(0) }),
      timeoutMs,
      onClose: ({ message }) => ends.push(message),
      ...flush,
    },
  )
  return {
    ends,
    send(text: string, count = 1) {
      pipeline.send(new TextEncoder().encode(text), count).catch(() => {})
    },
  }
}

/** Lets everything happen that waits for no timer. */
const settle = () => vi.advanceTimersByTimeAsync(0)

describe('Pipeline.send()', () => {
  it('writes at once without a window, what came in the same turn together', async () => {
    const { send } = open({ flushMs: 0, flushLimit: 0 })
    send('a')
    send('b')
    await settle()
    send('c')
    await settle()
    expect(written).toEqual(['ab', 'c'])
  })

  it('gathers commands for the length of the window', async () => {
    const { send } = open({ flushMs: 150, flushLimit: 0 })
    send('a')
    await vi.advanceTimersByTimeAsync(149)
    send('b')
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual(['ab'])
    send('c')
    await vi.advanceTimersByTimeAsync(150)
    expect(written).toEqual(['ab', 'c'])
  })

  it('writes before the window is over once so many commands wait', async () => {
    const { send } = open({ flushMs: 150, flushLimit: 3 })
    send('a', 2)
    await settle()
    expect(written).toEqual([])
    send('b')
    await settle()
    expect(written).toEqual(['ab'])
    await vi.advanceTimersByTimeAsync(150)
    expect(written).toEqual(['ab'])
  })

  it('closes the connection when a reply is not there in time', async () => {
    const { send, ends } = open({ flushMs: 0, flushLimit: 0 })
    send('a')
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    expect(ends).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toEqual(['i/o timeout'])
  })

  it('waits once more for as long as a busy runtime was late, and then closes the connection', async () => {
    const { send, ends } = open({ flushMs: 0, flushLimit: 0 })
    send('a')
    await settle()
    const late = 5_000
    // The clock goes on while the runtime looks at no timer.
    vi.setSystemTime(Date.now() + late)
    await vi.advanceTimersByTimeAsync(timeoutMs)
    expect(ends).toEqual([])
    vi.setSystemTime(Date.now() + late)
    await vi.advanceTimersByTimeAsync(late)
    expect(ends).toEqual(['i/o timeout'])
  })
})
