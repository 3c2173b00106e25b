/** Pipeline: when waiting commands are written, by REDIS_PIPELINE_WINDOW and REDIS_PIPELINE_LIMIT. */

import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemcacheNode } from '#objects/ratelimit/memcache/server.ts'
import { Pipeline, type PipelineOptions } from '#objects/ratelimit/sockets/pipeline.ts'
import { encodeVersion } from '#ratelimit/memcache/text.ts'

const written: string[] = []
const timeoutMs = 60_000
const idleMs = 10_000
let server: ReadableStreamDefaultController<Uint8Array>

// Files share modules: earlier ones have loaded the real sockets, and later ones need them again.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock('cloudflare:sockets')
  vi.resetModules()
})

vi.mock('cloudflare:sockets', () => ({
  connect: () => ({
    opened: Promise.resolve(),
    readable: new ReadableStream({
      start(controller) {
        server = controller
      },
    }),
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

/** Opens a connection on which each character is a reply. */
function open(flush: Pick<PipelineOptions<string>, 'flushMs' | 'flushLimit'>) {
  const ends: string[] = []
  const pipeline = new Pipeline<string>(
    { host: 'redis.example', port: 6379, tls: false },
    {
      read: (bytes) => ({ replies: [...new TextDecoder().decode(bytes)], rest: new Uint8Array(0) }),
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

describe('Pipeline, without commands', () => {
  const atOnce = { flushMs: 0, flushLimit: 0 }
  const answer = async () => {
    server.enqueue(new TextEncoder().encode('+'))
    await settle()
  }

  it('closes ten seconds after the last command', async () => {
    const { send, ends } = open(atOnce)
    send('a')
    await answer()
    await vi.advanceTimersByTimeAsync(timeoutMs - idleMs / 2)
    send('b')
    await answer()
    await vi.advanceTimersByTimeAsync(idleMs - 1)
    expect(ends).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toEqual(['connection idle'])
  })

  it('opens another for the next command to memcached at once, without the rest after a loss', async () => {
    const node = new MemcacheNode({ host: 'memcached.example', port: 11211, tls: false }, 1)
    const version = async () => {
      const answers = node.send(encodeVersion(), 1)
      await settle()
      server.enqueue(new TextEncoder().encode('VERSION 1.6\r\n'))
      return answers
    }
    const first = await version()
    await vi.advanceTimersByTimeAsync(idleMs)
    expect(await version()).toEqual(first)
    expect(written.length).toBe(2)
  })

  it('keeps the deadline of a command that comes after a pause', async () => {
    const { send, ends } = open(atOnce)
    send('a')
    await answer()
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    send('b')
    await answer()
    await vi.advanceTimersByTimeAsync(2)
    send('c')
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    expect(ends).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ends).toEqual(['i/o timeout'])
  })
})
