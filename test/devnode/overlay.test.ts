import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOverlay } from '#devnode/overlay.ts'
import { ledgerStoreContract } from '../contracts/ledger-store.ts'
import { createMemoryStore } from '../support/memory-ledger-store.ts'
import { sweep } from '../support/sweep.ts'

describe('LedgerStore contract', () => {
  ledgerStoreContract('memory', (body) => body(createMemoryStore()))
  ledgerStoreContract('an overlay', (body) => body(createOverlay(createMemoryStore())))
  ledgerStoreContract('an overlay of an overlay', (body) =>
    body(createOverlay(createOverlay(createMemoryStore()))),
  )
})

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const write = fc.record({ key, value: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }) })

test('createOverlay() reads as if its writes had been made, and its base does not see them', () => {
  fc.assert(
    fc.property(fc.array(write), fc.array(write), fc.boolean(), (below, above, isReverse) => {
      const apply = (store: ReturnType<typeof createMemoryStore>, writes: typeof below) => {
        for (const { key, value } of writes) value === undefined ? store.delete(key) : store.put(key, value)
      }
      const all = { start: '', end: '~', isReverse }
      const base = createMemoryStore()
      apply(base, below)
      const before = [...base.list(all)]
      const overlay = createOverlay(base)
      apply(overlay, above)
      const direct = createMemoryStore(before)
      apply(direct, above)
      expect([...overlay.list(all)]).toEqual([...direct.list(all)])
      expect([...base.list(all)]).toEqual(before)
      overlay.commit()
      expect([...base.list(all)]).toEqual([...direct.list(all)])
    }),
    { seed: 6, numRuns: sweep(300) },
  )
})

test.each([
  ['of one byte a character', 'x', 1],
  ['of three', '日', 3],
])(
  'createOverlay() keeps a row of 1,900,000 bytes, key and value, and refuses one more: text %s',
  (_, character, bytes) => {
    const key = 'k'.repeat(1 + ((1_900_000 - 1) % bytes))
    const value = character.repeat((1_900_000 - key.length) / bytes)
    const overlay = createOverlay(createMemoryStore())
    overlay.put(key, value)
    expect(overlay.get(key)).toBe(value)
    expect(() => overlay.put(`${key}k`, value)).toThrow('row is too big')
    expect(overlay.get(`${key}k`)).toBeUndefined()
  },
)
