/** The alarm of a counter: it comes after what is over first, costs no write that it need not, and is moved when it must. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isBadlyTimed } from '#objects/ratelimit/counter/cleanup.ts'
import { cleanupAlarm } from '#objects/ratelimit/counter/cleanup-alarm.ts'
import type { Expiry } from '#objects/ratelimit/storage/expiry.ts'

let now = 0
beforeEach(() => {
  now = 1_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => now * 1000)
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** A storage with an alarm, which records when it was set, in Unix seconds. */
function alarmed(atMs: number | null = null) {
  const set: number[] = []
  const storage = { getAlarm: async () => atMs, setAlarm: async (moment: number) => void set.push(moment / 1000) }
  // Nothing else of the storage is used.
  return { storage: storage as unknown as DurableObjectStorage, set }
}

/** Lets the look for an earlier alarm end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await null
}

const minuteAt = (at: number): Expiry => ({ at, unit: 'MINUTE' })

test('it is set once for what is over first, and again only for something earlier', () => {
  const { storage, set } = alarmed()
  const alarm = cleanupAlarm(storage, undefined)
  alarm.cleanUpAfter(minuteAt(now + 60))
  alarm.cleanUpAfter(minuteAt(now + 60))
  alarm.cleanUpAfter(minuteAt(now + 600))
  expect(set).toEqual([now + 60 + 150])
  alarm.cleanUpAfter(minuteAt(now + 30))
  expect(set).toEqual([now + 210, now + 180])
})

test('it takes over the alarm of an earlier instance, which costs no write', async () => {
  const { storage, set } = alarmed((1_000_000 + 300) * 1000)
  const alarm = cleanupAlarm(storage, minuteAt(now + 60))
  alarm.cleanUpAfter(minuteAt(now + 60))
  await settled()
  alarm.cleanUpAfter(minuteAt(now + 60))
  expect(set).toEqual([])
})

test.each([
  ['there is none', null],
  ['it would come while the runtime forgets the object', (1_000_000 + 100) * 1000],
])('it is set anew when %s', async (_, atMs) => {
  const { storage, set } = alarmed(atMs)
  const alarm = cleanupAlarm(storage, minuteAt(now + 60))
  alarm.cleanUpAfter(minuteAt(now + 60))
  await settled()
  expect(set).toEqual([now + 210])
})

test('it does not wait for an alarm of something that has been over for long', () => {
  const { storage, set } = alarmed((1_000_000 + 300) * 1000)
  const alarm = cleanupAlarm(storage, minuteAt(now - 601))
  alarm.cleanUpAfter(minuteAt(now + 60))
  expect(set).toEqual([now])
})

test('noteCall() moves an alarm that would come while the runtime forgets the object', () => {
  const { storage, set } = alarmed()
  const alarm = cleanupAlarm(storage, undefined)
  alarm.cleanUpAfter(minuteAt(now))
  const [at = 0] = set
  for (const wait of [300, 150, 60]) alarm.noteCall(at - wait)
  expect(set.length).toBe(1)
  now = at - 100
  alarm.noteCall(now)
  expect(set.length).toBe(2)
  expect(isBadlyTimed(set[1] ?? 0, now)).toBe(false)
})

test('restart() sets the alarm for what is over next, and none for nothing', () => {
  const { storage, set } = alarmed()
  const alarm = cleanupAlarm(storage, minuteAt(now))
  alarm.restart(undefined)
  expect(set).toEqual([])
  alarm.noteCall(now)
  alarm.restart(minuteAt(now + 60))
  expect(set).toEqual([now + 210])
})

test('noteCall() moves the alarm of an object in use once in minutes', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const { storage, set } = alarmed()
  const alarm = cleanupAlarm(storage, undefined)
  for (let second = 0; second < 600; second += 5) {
    now = 1_000_000 + second
    alarm.cleanUpAfter(minuteAt(Math.floor(now / 60) * 60 + 60))
    alarm.noteCall(now)
  }
  expect(set.length).toBe(3)
})

test('restart() sets the second look at an only window, whose alarm says when the first was', () => {
  const { storage, set } = alarmed()
  cleanupAlarm(storage, minuteAt(now)).restart({ ...minuteAt(now + 60), foundOver: now })
  expect(set).toEqual([now + 60 + 150 + 0.001])
})
