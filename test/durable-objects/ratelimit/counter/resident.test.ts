/** Windows in memory: bounded, never without what the disk does not have, and never with what is over for long. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { residentWindows } from '#objects/ratelimit/counter/resident.ts'
import { memoryWindow, readWindow, type StoredWindow, storeHit } from '#ratelimit/durability/stored-window.ts'

const bounds = { most: 50, unwatched: 5, step: 4 }
const minute = (start: number) => readWindow({ key: 'k', unit: 'MINUTE', window: { start, hits: 1 }, spare: 0 })
const second = (start: number) => memoryWindow({ key: 'k', unit: 'SECOND', window: { start, hits: 1 } })
const unsavedMinute = (): StoredWindow => {
  const context = { limit: 10, nowMs: 0, durability: 'durable' } as const
  return storeHit(null, minute(0), context)
}

test('keep() holds the bound, and everything that the disk does not have', () => {
  const keys = fc.array(fc.record({ key: fc.nat(500), isSaved: fc.boolean() }), { maxLength: 2_000 })
  fc.assert(
    fc.property(keys, (steps) => {
      const unsaved = new Set<string>()
      const windows = residentWindows(bounds)
      for (const { key, isSaved } of steps) {
        if (isSaved) unsaved.delete(`${key}`)
        else unsaved.add(`${key}`)
        const window = isSaved ? minute(0) : unsavedMinute()
        windows.keep(`${key}`, window, 1)
        expect(windows.find(`${key}`)).toBe(window)
        if (unsaved.size <= 100) continue
        // A window that was saved leaves when the walk comes to it again.
        for (const name of unsaved) windows.change(name, minute(0))
        unsaved.clear()
      }
      for (const name of unsaved) expect(windows.find(name)).toBeDefined()
      for (let at = 0; at < 200; at++) windows.keep('last', null, 1)
      expect(windows.size).toBeLessThanOrEqual(Math.max(bounds.most, unsaved.size) + 1)
    }),
    { seed: 5 },
  )
})

test('keep() evicts windows that are over, a few at each call', () => {
  const windows = residentWindows({ ...bounds, most: 10_000 })
  for (let at = 0; at < 1_000; at++) windows.keep(`s${at}`, second(0), 0)
  expect(windows.size).toBe(1_000)
  windows.keep('new', second(5), 5)
  expect(windows.size).toBeGreaterThanOrEqual(1_000 - bounds.step)
  for (let at = 0; at < 600; at++) windows.keep('new', second(5), 5)
  expect(windows.size).toBeLessThanOrEqual(bounds.unwatched + 1)
  expect(windows.find('new')).toEqual(second(5))
})

test('keep() never evicts a second that is not over, which is kept nowhere else', () => {
  const windows = residentWindows(bounds)
  for (let at = 0; at < 1_000; at++) windows.keep(`s${at}`, second(7), 7)
  expect(windows.size).toBe(1_000)
})

test('keep() evicts a window below its ceiling beyond the bound, ten seconds after its last hit', () => {
  const windows = residentWindows(bounds)
  for (let at = 0; at < 200; at++) windows.keep(`${at}`, { ...minute(0), state: 'ahead', hitAtMs: 20_000 }, 20)
  expect(windows.size).toBe(200)
  for (let at = 0; at < 200; at++) windows.keep('last', minute(0), 30)
  expect(windows.size).toBeLessThanOrEqual(bounds.most + 1)
})

test('forgetExpired() leaves what still counts', () => {
  const windows = residentWindows(bounds)
  windows.keep('over', minute(0), 0)
  windows.keep('open', minute(60), 60)
  windows.keep('none', null, 60)
  windows.forgetExpired(60)
  expect([windows.find('over'), windows.find('none'), windows.size]).toEqual([undefined, undefined, 1])
})
