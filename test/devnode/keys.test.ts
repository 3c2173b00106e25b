import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countPart, int8Part, parseInt8Part, removeUnder } from '#devnode/keys.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import type { LedgerStore } from '#devnode/ports.ts'

const edges = [2n ** 53n, 2n ** 32n, 2n ** 31n, 0n].flatMap((edge) =>
  [-2n, -1n, 0n, 1n, 2n].flatMap((step) => [edge + step, step - edge]),
)

test.each([-(2n ** 63n), 2n ** 63n - 1n, ...edges])('parseInt8Part() reads %s as int8Part() wrote it', (value) => {
  expect(parseInt8Part(int8Part(value))).toBe(value)
})

test('parseInt8Part() reads any int8 as int8Part() wrote it', () => {
  const int8 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  fc.assert(
    fc.property(int8, (value) => {
      expect(parseInt8Part(int8Part(value))).toBe(value)
    }),
    { seed: 8 },
  )
})

test('removeUnder() removes and returns all entries below, and walks no further than its removals are paid for', () => {
  const below = Array.from({ length: 2_500 }, (_, at) => [`a/${countPart(at)}`, `${at}`] as const)
  const store = createMemoryStore([...below, ['a0', ''], ['b/1', '']])
  let walked = 0
  const unpaid: LedgerStore = {
    ...store,
    *list(range) {
      for (const entry of store.list(range)) {
        walked += 1
        yield entry
      }
    },
    delete() {
      throw new Error('the budget is spent')
    },
  }
  expect(() => removeUnder(unpaid, 'a')).toThrow('the budget is spent')
  expect(walked).toBeLessThanOrEqual(1_000)
  expect(removeUnder(store, 'a')).toEqual(below)
  expect([...store.list({ start: '', end: '~' })]).toEqual([
    ['a0', ''],
    ['b/1', ''],
  ])
})
