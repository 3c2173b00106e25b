/** usageFeed: what listeners get of each second, what of it is hashed, and how many listen and wait at most. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { usageFeed } from '#objects/ratelimit/usage/feed.ts'
import type { SampledRequest, UsageCount, UsageReport } from '#ratelimit/usage/types.ts'

/** The feed's timer, run by a test; null while there is none. */
let tick: (() => void) | null = null
let nowMs = 0

beforeEach(() => {
  tick = null
  nowMs = 1_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
  vi.stubGlobal('setInterval', (run: () => void) => {
    tick = run
    return 1
  })
  vi.stubGlobal('clearInterval', () => {
    tick = null
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const empty: UsageReport = { counts: [], used: [], refused: [], fills: [], samples: [] }
const count = (second: number, rule: string): UsageCount => ({
  second,
  domain: 'shop',
  rule,
  admitted: 2,
  refused: 1,
  shadow: 0,
})
function sampled(value: string): SampledRequest {
  const entries = [{ key: 'k', value }]
  const request = { domain: 'shop', descriptors: [{ entries, hitsAddend: 2n ** 63n }], hitsAddend: 0 }
  return { at: 1, weight: 1, code: 'OK', request, outcomes: [] }
}

/** Opens a stream; `next` reads what comes next of it. */
function listen(feed: ReturnType<typeof usageFeed>, query = '') {
  const end = new AbortController()
  const response = feed.open(new Request(`http://stats/feed${query}`, { signal: end.signal }))
  const reader = response?.body?.getReader()
  const next = async () => new TextDecoder().decode((await reader?.read())?.value)
  return { response, next, end }
}

/** The data of the events of a text, by their names. */
function eventsOf(text: string): readonly (readonly [name: string, data: unknown])[] {
  return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name = '', data = '']) => [name, JSON.parse(data)])
}

describe('usageFeed()', () => {
  it('sends the counts of all reports by second and rule, and sampled requests', async () => {
    const feed = usageFeed()
    const { response, next } = listen(feed)
    expect(response?.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await next()).toContain('retry: 3000')
    feed.add({ ...empty, counts: [count(7, 'a'), count(7, 'b')], samples: [sampled('mia')] })
    feed.add({ ...empty, counts: [count(7, 'a'), count(8, 'a')] })
    tick?.()
    const twice = { ...count(7, 'a'), admitted: 4, refused: 2 }
    expect(eventsOf(await next())).toEqual([
      ['counts', [twice, count(7, 'b'), count(8, 'a')]],
      // An addend of 64 bits is text, as in proto3 JSON.
      [
        'decision',
        JSON.parse(JSON.stringify(sampled('mia'), (_, value) => (typeof value === 'bigint' ? `${value}` : value))),
      ],
    ])
  })

  it('hides values from a listener that asks for hashes, and from no other', async () => {
    const feed = usageFeed()
    const plain = listen(feed)
    const hashed = listen(feed, '?values=hashed')
    await Promise.all([plain.next(), hashed.next()])
    feed.add({ ...empty, samples: [sampled('abc')] })
    tick?.()
    const [seen, hidden] = await Promise.all([plain.next(), hashed.next()])
    expect([seen.includes('"abc"'), hidden.includes('"abc"')]).toEqual([true, false])
    expect(hidden).toContain('#ba7816bf8f01')
  })

  it('sends twenty sampled requests of a second at most', async () => {
    const feed = usageFeed()
    const { next } = listen(feed)
    await next()
    for (let at = 0; at < 3; at++) feed.add({ ...empty, samples: Array.from({ length: 15 }, () => sampled(`${at}`)) })
    tick?.()
    expect(eventsOf(await next()).length).toBe(20)
  })

  it('sends nothing in a second without decisions, and a comment after fifteen', async () => {
    const feed = usageFeed()
    const { next } = listen(feed)
    await next()
    feed.add({ ...empty, counts: [count(1, 'a')] })
    tick?.()
    await next()
    nowMs += 15_000
    tick?.()
    nowMs += 1
    tick?.()
    expect(await next()).toBe(': keepalive\n\n')
    // The clock is set back.
    nowMs -= 900_000
    tick?.()
    const sign = await Promise.race([next(), scheduler.wait(500)])
    expect(sign).toBe(': keepalive\n\n')
  })

  it('keeps nothing while there is no listener', async () => {
    const feed = usageFeed()
    feed.add({ ...empty, counts: [count(1, 'before')] })
    const first = listen(feed)
    await first.next()
    feed.add({ ...empty, counts: [count(2, 'read')] })
    tick?.()
    expect(eventsOf(await first.next())).toEqual([['counts', [count(2, 'read')]]])
    feed.add({ ...empty, counts: [count(2, 'unread')] })
    first.end.abort()
    expect(tick).toBeNull()
    const { next } = listen(feed)
    await next()
    feed.add({ ...empty, counts: [count(3, 'now')] })
    tick?.()
    expect(eventsOf(await next())).toEqual([['counts', [count(3, 'now')]]])
  })

  it('has fifty listeners at most, and a place for another once one has left', () => {
    const feed = usageFeed()
    const listeners = Array.from({ length: 50 }, () => listen(feed))
    expect(listen(feed).response).toBeNull()
    listeners[0]?.end.abort()
    expect([listen(feed).response !== null, tick !== null]).toEqual([true, true])
  })
})
