/** The contract of every CounterStore: one suite, run against each implementation. */

import { beforeEach, describe, expect, test } from 'vitest'
import { maxHits } from '#ratelimit/counter.ts'
import type { CounterHit, CounterStore } from '#ratelimit/ports.ts'

/** An implementation under test. */
export interface CounterStoreSubject {
  readonly name: string
  /** A store in which the keys of this suite are unused; called before every test. */
  readonly create: () => CounterStore | Promise<CounterStore>
  /** True when the same key twice in one request is judged on the value before it (memcached). */
  readonly judgesOnOldValues?: boolean
  /** The most a counter can hold, where it is less than 2^53 - 1. */
  readonly most?: number
}

let serial = 0

/** Runs the suite; windows are a day or longer, so that it needs no clock, and keys are never used twice. */
export function testCounterStore(subject: CounterStoreSubject): void {
  describe(`CounterStore: ${subject.name}`, () => {
    let store: CounterStore
    let key: string
    const hit = (addend: number, more: Partial<CounterHit> = {}): CounterHit => ({ key, unit: 'YEAR', addend, ...more })
    const valuesAfter = async (hits: readonly CounterHit[]) => (await store.hit(hits)).map((item) => item.after)

    beforeEach(async () => {
      store = await subject.create()
      serial += 1
      key = `contract_${Date.now()}_${serial}_`
    })

    test('hit() adds and answers the value with the hit included', async () => {
      expect(await valuesAfter([hit(1)])).toEqual([1])
      expect(await valuesAfter([hit(3)])).toEqual([4])
    })

    test('hit() answers one item per hit, in order', async () => {
      const other = hit(5, { key: `${key}other_` })
      expect(await valuesAfter([hit(1), other])).toEqual([1, 5])
      expect(await valuesAfter([other, hit(1)])).toEqual([10, 2])
    })

    test('hit() with addend 0 looks without counting', async () => {
      expect(await valuesAfter([hit(0)])).toEqual([0])
      expect(await valuesAfter([hit(2), hit(0, { key: `${key}other_` })])).toEqual([2, 0])
      expect(await valuesAfter([hit(0)])).toEqual([2])
    })

    test('hit() counts the same key twice in one request, both times', async () => {
      const both = await valuesAfter([hit(1), hit(1)])
      expect(both).toEqual(subject.judgesOnOldValues === true ? [1, 1] : [1, 2])
      expect(await valuesAfter([hit(0)])).toEqual([2])
    })

    test('hit() keeps units and keys apart', async () => {
      expect(await valuesAfter([hit(1), hit(2, { unit: 'MONTH' })])).toEqual([1, 2])
      expect(await valuesAfter([hit(1, { key: `${key}a` }), hit(1, { key: `${key}A` })])).toEqual([1, 1])
    })

    test('hit() gives back no more than was counted, and leaves a missing counter missing', async () => {
      expect(await valuesAfter([hit(4, { isRefund: true })])).toEqual([0])
      expect(await valuesAfter([hit(5)])).toEqual([5])
      expect(await valuesAfter([hit(2, { isRefund: true })])).toEqual([3])
      expect(await valuesAfter([hit(9, { isRefund: true })])).toEqual([0])
      expect(await valuesAfter([hit(1)])).toEqual([1])
    })

    test('hit() says how long the window lasts', async () => {
      const [counter] = await store.hit([hit(1, { unit: 'DAY' })])
      expect(Number.isInteger(counter?.secondsUntilReset)).toBe(true)
      expect(counter?.secondsUntilReset).toBeGreaterThanOrEqual(1)
      expect(counter?.secondsUntilReset).toBeLessThanOrEqual(86_400)
    })

    test('hit() saturates instead of overflowing', async () => {
      const most = subject.most ?? maxHits
      await store.hit([hit(most)])
      const [value] = await valuesAfter([hit(most)])
      expect(value).toBeGreaterThanOrEqual(most)
    })

    test('hit() loses nothing when requests overlap', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => valuesAfter([hit(1)])))
      if (subject.judgesOnOldValues !== true) {
        expect(answers.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at + 1))
      }
      expect(await valuesAfter([hit(0)])).toEqual([50])
    })

    test('peek() reads without creating or counting', async () => {
      expect((await store.peek([hit(7)])).map((item) => item.after)).toEqual([0])
      await store.hit([hit(3)])
      expect((await store.peek([hit(7)])).map((item) => item.after)).toEqual([3])
      expect((await store.peek([hit(7)])).map((item) => item.after)).toEqual([3])
    })

    test('hit() and peek() of nothing answer nothing', async () => {
      expect(await store.hit([])).toEqual([])
      expect(await store.peek([])).toEqual([])
    })
  })
}
