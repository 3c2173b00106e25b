import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { withRangeCache } from '#devnode/cache/range-cache.ts'
import { keysUnder } from '#devnode/keys.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import type { KeyRange } from '#devnode/ports.ts'
import { ledgerStoreContract } from '../../contracts/ledger-store.ts'

ledgerStoreContract('withRangeCache', (body) => body(withRangeCache(createMemoryStore())))

/** A store that counts how often a range is walked. */
function counted() {
  const store = createMemoryStore()
  const counts = { walks: 0 }
  const list = (range: KeyRange) => {
    counts.walks += 1
    return store.list(range)
  }
  return { counts, store, below: { ...store, list } }
}

const series = keysUnder('event', '1')

describe('withRangeCache', () => {
  it('reads a group from below when it is walked for the second time, and then no more', () => {
    const { counts, below } = counted()
    const ranges = withRangeCache(below)
    for (let at = 0; at < 10; at++) ranges.put(`event/1/${at}`, String(at))
    ranges.put('event/2/0', 'another')
    const walks = Array.from({ length: 5 }, () => [...ranges.list(series)].map(([, value]) => value).join(''))
    expect([new Set(walks), counts.walks]).toEqual([new Set(['0123456789']), 2])
    const part = { start: 'event/1/3', end: 'event/1/5' }
    expect([...ranges.list(part)].map(([key]) => key)).toEqual(['event/1/3', 'event/1/4'])
    expect([...ranges.list({ ...part, isReverse: true })].map(([key]) => key)).toEqual(['event/1/4', 'event/1/3'])
    expect(counts.walks).toBe(2)
  })

  it('gives what the store gives after any sequence of writes, deletions and walks', () => {
    const random = createRandom(5, 'range cache')
    const { store, counts, below } = counted()
    const ranges = withRangeCache(below)
    const key = () => `${['a', 'b'][random.integer(0, 1)]}/${random.integer(0, 3)}/${random.integer(0, 40)}`
    let walks = 0
    for (let turn = 0; turn < 20_000; turn++) {
      const kind = random.integer(0, 3)
      if (kind === 0) ranges.put(key(), `v${turn}`)
      else if (kind === 1) ranges.delete(key())
      else {
        const [one, other] = [key(), key()].sort()
        const whole = keysUnder('a', String(random.integer(0, 3)))
        const range = kind === 2 ? whole : { start: one ?? '', end: other ?? '' }
        const asked = { ...range, isReverse: random.integer(0, 1) === 0 }
        walks += 1
        expect([...ranges.list(asked)]).toEqual([...store.list(asked)])
      }
      if (turn % 5_000 === 0) ranges.clear()
    }
    // Only ranges across groups, and the first two walks of each group, are read from below.
    expect(counts.walks).toBeLessThan(walks / 2)
  })

  it('remembers no group of more than 4,000 entries, also when one grows to that', () => {
    const { counts, below } = counted()
    const ranges = withRangeCache(below)
    for (let at = 0; at < 4_000; at++) ranges.put(`event/1/${String(at).padStart(5, '0')}`, '1')
    for (let turn = 0; turn < 3; turn++) expect([...ranges.list(series)]).toHaveLength(4_000)
    expect(counts.walks).toBe(2)
    ranges.put('event/1/1', 'one more')
    expect(ranges.cached()).toBe(0)
    for (let turn = 0; turn < 3; turn++) expect([...ranges.list(series)]).toHaveLength(4_001)
    expect(counts.walks).toBe(5)
  })

  it('remembers 8,000,000 characters at most, and keeps the groups that are used', () => {
    const { counts, below } = counted()
    const ranges = withRangeCache(below)
    ranges.put('event/1/0', 'often')
    for (let group = 0; group < 40; group++) ranges.put(`large/${group}/0`, 'v'.repeat(400_000))
    const walk = (range: KeyRange) => void [...ranges.list(range)]
    for (let turn = 0; turn < 2; turn++) walk(series)
    for (let group = 0; group < 40; group++) {
      for (let turn = 0; turn < 2; turn++) walk(keysUnder('large', String(group)))
      walk(series)
      expect(ranges.cached()).toBeLessThanOrEqual(8_000_000)
    }
    expect(counts.walks).toBe(82)
    walk(keysUnder('large', '0'))
    expect(counts.walks).toBe(83)
    ranges.put('event/1/1', 'v'.repeat(7_900_000))
    expect(ranges.cached()).toBeGreaterThan(7_900_000)
    expect(ranges.cached()).toBeLessThanOrEqual(8_000_000)
    ranges.put('event/1/2', 'v'.repeat(200_000))
    expect(ranges.cached()).toBe(0)
  })

  it('keeps 2,000 groups at most', () => {
    const { counts, below } = counted()
    const ranges = withRangeCache(below)
    for (let group = 0; group < 2_001; group++) void [...ranges.list(keysUnder('a', String(group)))]
    expect(counts.walks).toBe(2_001)
    // Walked for the first time, as it seems: its first walk has been forgotten.
    for (let turn = 0; turn < 3; turn++) void [...ranges.list(keysUnder('a', '0'))]
    expect(counts.walks).toBe(2_003)
  })

  it('reads ranges across groups from below', () => {
    const { counts, below } = counted()
    const ranges = withRangeCache(below)
    ranges.put('event/1/0', '1')
    ranges.put('event/2/0', '2')
    for (let turn = 0; turn < 3; turn++) expect([...ranges.list(keysUnder('event'))]).toHaveLength(2)
    expect(counts.walks).toBe(3)
  })
})
