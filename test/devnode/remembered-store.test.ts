import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { withMemory } from '#devnode/remembered-store.ts'
import { ledgerStoreContract } from '../contracts/ledger-store.ts'
import { createMemoryStore } from '../support/memory-ledger-store.ts'

ledgerStoreContract('withMemory', (body) => body(withMemory(createMemoryStore())))

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

describe('withMemory', () => {
  it('reads a key from below once, also one that is not there', () => {
    const { counts, below } = counted()
    const memory = withMemory(below)
    memory.put('written', '1')
    for (let turn = 0; turn < 3; turn++) {
      expect([memory.get('written'), memory.get('absent')]).toEqual(['1', undefined])
    }
    expect(counts.gets).toBe(1)
  })

  it('gives what the store gives after any sequence of writes, deletions and reads', () => {
    const random = createRandom(3, 'remembered store')
    const { store, below } = counted()
    const memory = withMemory(below)
    for (let turn = 0; turn < 60_000; turn++) {
      const key = `k${random.integer(0, 9_000)}`
      const kind = random.integer(0, 3)
      if (kind === 0) memory.put(key, 'v'.repeat(random.integer(0, 40) === 0 ? 2_001 : turn % 7))
      else if (kind === 1) memory.delete(key)
      else expect(memory.get(key)).toBe(store.get(key))
    }
  })

  it('remembers 10,000 entries at most, and keeps those that are used', () => {
    const { counts, below } = counted()
    const memory = withMemory(below)
    for (let at = 0; at < 30_000; at++) {
      memory.get('often')
      memory.put(`k${at}`, '1')
    }
    expect(memory.remembered()).toBeLessThanOrEqual(10_000)
    expect(counts.gets).toBe(1)
  })

  it('remembers no value of more than 2,000 characters', () => {
    const { counts, below } = counted()
    const memory = withMemory(below)
    memory.put('long', '1')
    memory.put('long', 'v'.repeat(2_001))
    expect([memory.get('long')?.length, memory.get('long')?.length, counts.gets]).toEqual([2_001, 2_001, 2])
  })

  it('reads anew after it was told to forget', () => {
    const { store, below } = counted()
    const memory = withMemory(below)
    memory.put('key', 'rolled back')
    store.delete('key')
    memory.forget()
    expect(memory.get('key')).toBeUndefined()
  })

  it('keeps what was stored when a write is refused', () => {
    const { below } = counted()
    const memory = withMemory({
      ...below,
      put(key, value) {
        if (value === 'too much') throw new Error('full')
        below.put(key, value)
      },
    })
    memory.put('key', '1')
    expect(() => memory.put('key', 'too much')).toThrow('full')
    expect(memory.get('key')).toBe('1')
  })
})
