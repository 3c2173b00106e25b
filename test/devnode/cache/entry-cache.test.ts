import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { withEntryCache } from '#devnode/cache/entry-cache.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { ledgerStoreContract } from '../../contracts/ledger-store.ts'

ledgerStoreContract('withEntryCache', (body) => body(withEntryCache(createMemoryStore())))

/** A store that counts how often it is read by key. */
function counted() {
  const store = createMemoryStore()
  const counts = { gets: 0 }
  const get = (key: string) => {
    counts.gets += 1
    return store.get(key)
  }
  return { counts, store, below: { ...store, get } }
}

describe('withEntryCache', () => {
  it('reads a key from below once, also one that is not there', () => {
    const { counts, below } = counted()
    const cache = withEntryCache(below)
    cache.put('written', '1')
    for (let turn = 0; turn < 3; turn++) {
      expect([cache.get('written'), cache.get('absent')]).toEqual(['1', undefined])
    }
    expect(counts.gets).toBe(1)
  })

  it('gives what the store gives after any sequence of writes, deletions and reads', () => {
    const random = createRandom(3, 'entry cache')
    const { store, below } = counted()
    const cache = withEntryCache(below)
    for (let turn = 0; turn < 60_000; turn++) {
      const key = `k${random.integer(0, 9_000)}`
      const kind = random.integer(0, 3)
      if (kind === 0) cache.put(key, 'v'.repeat(random.integer(0, 40) === 0 ? 2_001 : turn % 7))
      else if (kind === 1) cache.delete(key)
      else expect(cache.get(key)).toBe(store.get(key))
    }
  })

  it('holds 10,000 entries at most, and keeps those that are used', () => {
    const { counts, below } = counted()
    const cache = withEntryCache(below)
    for (let at = 0; at < 30_000; at++) {
      cache.get('often')
      cache.put(`k${at}`, '1')
    }
    expect(cache.cached()).toBeLessThanOrEqual(10_000)
    expect(counts.gets).toBe(1)
  })

  it('counts the entries of both halves', () => {
    const cache = withEntryCache(counted().below)
    for (let at = 0; at < 5_002; at++) cache.put(`k${at}`, '1')
    expect(cache.cached()).toBe(5_002)
  })

  it('keeps no value of more than 2,000 characters', () => {
    const { counts, below } = counted()
    const cache = withEntryCache(below)
    cache.put('long', '1')
    cache.put('long', 'v'.repeat(2_001))
    expect([cache.get('long')?.length, cache.get('long')?.length, counts.gets]).toEqual([2_001, 2_001, 2])
  })

  it('reads anew after clear()', () => {
    const { store, below } = counted()
    const cache = withEntryCache(below)
    cache.put('key', 'rolled back')
    store.delete('key')
    cache.clear()
    expect(cache.get('key')).toBeUndefined()
  })

  it('keeps what was stored when a write is refused', () => {
    const { below } = counted()
    const cache = withEntryCache({
      ...below,
      put(key, value) {
        if (value === 'too much') throw new Error('full')
        below.put(key, value)
      },
    })
    cache.put('key', '1')
    expect(() => cache.put('key', 'too much')).toThrow('full')
    expect(cache.get('key')).toBe('1')
  })
})
