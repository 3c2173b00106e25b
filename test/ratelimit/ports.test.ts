/** The in-memory CounterStore keeps the contract in both its manners; marks of joint hits travel. */

import { describe, expect, it } from 'vitest'
import { assertOneEach, readJoint, writeJoint } from '#ratelimit/ports.ts'
import { testCounterStore } from '../contracts/counter-store.ts'
import { createMemoryCounterStore } from '../support/memory-counter-store.ts'

const now = () => 1_750_000_000

testCounterStore({ name: 'memory, as Redis', create: () => createMemoryCounterStore({ now }) })
testCounterStore({
  name: 'memory, as memcached',
  create: () => createMemoryCounterStore({ now, flavour: 'memcached' }),
  judgesOnOldValues: true,
})

describe('readJoint()', () => {
  it('reads what writeJoint() wrote', () => {
    for (const rest of [0, 1, 31, 1_000])
      for (const mayRefuse of [true, false])
        for (const isTogether of [true, false])
          expect(readJoint(writeJoint({ rest, mayRefuse, isTogether }))).toEqual({ rest, mayRefuse, isTogether })
  })
})

describe('assertOneEach()', () => {
  const counter = { after: 1, secondsUntilReset: 1 }

  it('hands over as many counters as were asked for', () => {
    const hits = [counter, counter]
    expect(assertOneEach(hits, [1, 2])).toBe(hits)
  })

  it.each([[[]], [[counter]], [[counter, counter, counter]]])('refuses %j for two', (hits) => {
    expect(() => assertOneEach(hits, [1, 2])).toThrow(
      expect.objectContaining({
        code: 'counter_unavailable',
        message: `Cannot count: the store answered ${hits.length} counters, expected 2`,
      }),
    )
  })
})
