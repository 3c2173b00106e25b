/** The answers that an isolate keeps: their bound, their time, and which go first. */

import { describe, expect, it } from 'vitest'
import { createAnswerCache } from '#workers/streamnet/adapters/answer-cache.ts'

const answer = (bytes: number, state?: string) => ({
  body: new Uint8Array(bytes),
  etag: '"e"',
  term: state === undefined ? ('minute' as const) : ('state' as const),
  ...(state !== undefined && { state }),
})

describe('createAnswerCache', () => {
  it('keeps no more than 16 MB, and removes what was used longest ago', () => {
    const cache = createAnswerCache()
    for (let at = 0; at < 16; at++) cache.put(`${at}`, answer(900_000), 10)
    expect(cache.get('0', 0)).toBeDefined()
    for (let at = 16; at < 18; at++) cache.put(`${at}`, answer(900_000), 10)
    expect([cache.get('1', 0), cache.get('0', 0)?.body.length]).toEqual([undefined, 900_000])
  })

  it('keeps nothing of an answer that is longer than 1 MB with its key', () => {
    const cache = createAnswerCache()
    cache.put('k'.repeat(500_001), answer(500_000), 10)
    expect(cache.get('k'.repeat(500_001), 0)).toBeUndefined()
  })

  it('gives an answer until its time, with the state in which it was read', () => {
    const cache = createAnswerCache()
    cache.put('key', answer(1, 'state 1'), 10)
    expect([cache.get('key', 9)?.state, cache.get('key', 10)]).toEqual(['state 1', undefined])
  })
})
