import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Newest } from '#console/streamnet/newest.ts'
import { stubPage } from '#test/support/page-globals.ts'

const stream = { stream_id: 'st1', data_provider: '0xab', stream_type: 'primitive', created_at: 1 } as const
const known: Newest = { points: [{ date: 60, value: '7' }], reason: null }

/** The next answer of the service: a status with a body, or none. */
let answers: (() => Response | Promise<never>)[] = []
let readNewest: typeof import('#console/streamnet/newest.ts').readNewest

const refuse = (status: number) => () => Response.json({ error: 'no' }, { status })
const give = (result: unknown) => () => Response.json({ result })
const fail = () => Promise.reject(new TypeError('no connection'))

beforeAll(async () => {
  stubPage()
  vi.stubGlobal('fetch', async () => (answers.shift() ?? fail)())
  ;({ readNewest } = await import('#console/streamnet/newest.ts'))
})

afterAll(() => vi.unstubAllGlobals())

const look = (before: Newest | undefined, ...next: typeof answers) => {
  answers = next
  return readNewest(stream, before, new AbortController().signal)
}

describe('readNewest()', () => {
  it('gives the history of a stream, and the same object again while its last record is the same', async () => {
    const history = [
      { date: 30, value: '6' },
      { date: 60, value: '7' },
    ]
    await expect(look(undefined, give(history[1]), give(history), give(history))).resolves.toEqual({
      points: history,
      reason: null,
    })
    await expect(look(known, give({ date: 60, value: '7' }))).resolves.toBe(known)
    await expect(look(known, give(null))).resolves.toEqual({ points: [], reason: 'no records' })
  })

  it.each([
    [403, 'private'],
    [404, 'not readable'],
  ])('gives the reason why a stream that answers %d has no records', async (status, reason) => {
    const unread: Newest = { points: [], reason: 'not readable' }
    for (const before of [undefined, unread, known]) {
      await expect(look(before, refuse(status))).resolves.toEqual({ points: [], reason })
    }
  })

  it('keeps the records of its last look while the service is away or busy', async () => {
    for (const answer of [fail, refuse(429), refuse(503)]) {
      await expect(look(known, answer)).resolves.toBe(known)
      await expect(look(undefined, answer)).resolves.toEqual({ points: [], reason: 'not readable' })
    }
  })

  it('throws when its row leaves before the answer', async () => {
    const stopping = new AbortController()
    stopping.abort()
    answers = [fail]
    await expect(readNewest(stream, undefined, stopping.signal)).rejects.toThrow('no connection')
  })
})
