/** Windows of forgotten objects: found by the row that was written for them, bounded in number. */

import { expect, it } from 'vitest'
import { keptWindows, maxKeptWindows } from '#objects/ratelimit/counter/kept-windows.ts'
import type { StoredWindow } from '#ratelimit/durability/stored-window.ts'

const place = { key: 'a', unit: 'MINUTE' } as const
const ahead: StoredWindow = {
  ...place,
  window: { start: 60, hits: 9 },
  state: 'ahead',
  ceiling: { start: 60, hits: 20, from: 8, step: 12, raisedAtMs: 5, lost: 0 },
  hitAtMs: 7,
}
const row = (hits: number) => ({ ...place, window: { start: 60, hits }, spare: 12 })

it('keptWindows() finds the window of an earlier instance of the same object, by the row that it wrote', () => {
  keptWindows('one').keep('a', ahead)
  expect(keptWindows('one').find('a', row(20))).toBe(ahead)
  expect(keptWindows('one').find('a', row(21))).toBeUndefined()
  expect(keptWindows('one').find('b', row(20))).toBeUndefined()
  expect(keptWindows('other').find('a', row(20))).toBeUndefined()
})

it('keptWindows() forgets a window that its row holds in full, and one that was reset', () => {
  const kept = keptWindows('one')
  const exact: StoredWindow = {
    ...ahead,
    state: 'exact',
    ceiling: { ...ahead.ceiling, step: 0 } as StoredWindow['ceiling'],
  }
  kept.keep('a', ahead)
  kept.keep('a', exact)
  expect(kept.find('a', row(20))).toBeUndefined()
  kept.keep('a', ahead)
  kept.forget('a')
  expect(kept.find('a', row(20))).toBeUndefined()
})

it(`keptWindows() keeps ${maxKeptWindows} windows and forgets the one that was kept first`, () => {
  const kept = keptWindows('one')
  for (const name of ['first', 'second']) kept.keep(name, ahead)
  for (let at = 2; at < maxKeptWindows; at++) kept.keep(`${at}`, ahead)
  expect(kept.find('first', row(20))).toBeDefined()
  kept.keep('last', ahead)
  expect(kept.find('first', row(20))).toBeUndefined()
  expect(kept.find('second', row(20))).toBeDefined()
})
