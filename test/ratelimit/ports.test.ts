/** The in-memory CounterStore keeps the contract in both its manners. */

import { testCounterStore } from '../contracts/counter-store.ts'
import { createMemoryCounterStore } from '../support/memory-counter-store.ts'

const now = () => 1_750_000_000

testCounterStore({ name: 'memory, as Redis', create: () => createMemoryCounterStore({ now }) })
testCounterStore({
  name: 'memory, as memcached',
  create: () => createMemoryCounterStore({ now, flavour: 'memcached' }),
  judgesOnOldValues: true,
})
