import { expect, test } from 'vitest'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { addOrderEvent, listEventsBelow, removeOrderEvent } from '#devnode/state/market-events.ts'
import { marketKeysUnder } from '#devnode/state/market-keys.ts'

test('removeOrderEvent() removes every row of an event, and none of another', () => {
  const store = createMemoryStore()
  const listKeys = (...parts: string[]) => [...store.list(marketKeysUnder(...parts))].map(([key]) => key)
  const event = { market: 1, participant: 7, type: 'split_placed', outcome: true, price: 40, amount: 5n } as const
  addOrderEvent(store, { ...event, height: 3, time: 30 })
  addOrderEvent(store, { ...event, height: 4, time: 40 })
  const [, lastKey] = listKeys('event')
  const [oldest] = listEventsBelow(store, 4)
  if (oldest === undefined) throw new Error('Cannot find the event of block 3: there is none, expected one')
  removeOrderEvent(store, oldest)
  expect(listKeys('event')).toEqual([lastKey])
  expect(listKeys('event-of')).toHaveLength(1)
})
