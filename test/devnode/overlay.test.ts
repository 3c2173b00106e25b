import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOverlay } from '../../src/devnode/overlay.ts'
import { ledgerStoreContract } from '../contracts/ledger-store.ts'
import { createMemoryStore } from '../support/memory-ledger-store.ts'

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
    { seed: 6, numRuns: 300 },
  )
})
