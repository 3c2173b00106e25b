/** operatorCounters: blocks are renewed and lifted in time, and a store that fails gets them again. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createLogger } from '#base/logger.ts'
import type { StoreCounters } from '#objects/ratelimit/back-end/raised-windows.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { operatorCounters } from '#objects/ratelimit/operator-counters.ts'
import type { KeyReading } from '#ratelimit/contract/counters.ts'
import { hitsBesideBlock, looksRaised, openWindows } from '#ratelimit/store-block.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { MEMCACHE } = env as unknown as RatelimitEnv

const raise = 1_000

/** A store in memory with marks, as both stores keep them, that can fail. */
function memoryStore() {
  const counts = new Map<string, number>()
  const marks = new Map<string, number>()
  const told = { fails: false, failsLate: false, raised: 0, raisesWithoutMark: false }
  const assertThere = () => {
    if (told.fails) throw new Error('the store is away')
  }
  const store: StoreCounters = {
    raise,
    async read(windows) {
      assertThere()
      return windows.map(({ key }) => ({ count: counts.get(key) ?? 0, raisedBy: marks.get(key) ?? null }))
    },
    async raiseAll(windows, { takesUnmarked }) {
      assertThere()
      for (const { key } of windows) {
        const count = counts.get(key) ?? 0
        if (!marks.has(key) && !(takesUnmarked && looksRaised(count, raise))) {
          told.raised += 1
          counts.set(key, count + raise)
        }
        if (!told.raisesWithoutMark) marks.set(key, raise)
      }
      if (told.failsLate) throw new Error('the store is away')
      return !told.raisesWithoutMark
    },
    async lowerAll(windows, { takesUnmarked }) {
      assertThere()
      for (const { key } of windows) {
        const stored = { count: counts.get(key) ?? 0, raisedBy: marks.get(key) ?? null }
        const left = hitsBesideBlock(stored, takesUnmarked ? raise : 0)
        marks.delete(key)
        if (left > 0) counts.set(key, left)
        else counts.delete(key)
      }
    },
    async remove(windows) {
      assertThere()
      for (const { key } of windows) {
        counts.delete(key)
        marks.delete(key)
      }
    },
  }
  return { store, counts, marks, told }
}

let made = 0

/** The counters of a new object with a clock of the test's, so far ahead that the object's own alarm never comes. */
async function withCounters(
  act: (
    counters: ReturnType<typeof operatorCounters>,
    memory: ReturnType<typeof memoryStore>,
    clock: { now: number; reopen(): ReturnType<typeof operatorCounters>; due(): Promise<number | null> },
  ) => Promise<void>,
): Promise<void> {
  made += 1
  await runInDurableObject(MEMCACHE.getByName(`shared counters test ${made}`), async (_, { storage }) => {
    const memory = memoryStore()
    const logger = createLogger({ LOG_LEVEL: 'panic', LOG_FORMAT: 'text' }, { now: Date.now, print() {} })
    const clock = {
      now: 4_000_000_020,
      reopen: () => operatorCounters({ storage, store: memory.store, logger, now: () => clock.now }),
      due: async () => {
        const alarm = await storage.getAlarm()
        return alarm === null ? null : alarm / 1000
      },
    }
    await act(clock.reopen(), memory, clock)
    await storage.deleteAlarm()
  })
}

function isBlocked(counts: ReadonlyMap<string, number>, unit: Unit, now: number): boolean {
  return openWindows('k_', [unit], now).every(({ key }) => (counts.get(key) ?? 0) >= raise)
}

describe('operatorCounters()', () => {
  it('keeps a block of seconds standing for an hour, each renewal in time, also after a restart', () =>
    withCounters(async (counters, { counts, told }, clock) => {
      const end = clock.now + 3_600
      await counters.block('k_', ['SECOND'], end)
      let opened = counters
      for (; clock.now < end; clock.now++) {
        const due = await clock.due()
        if (due !== null && due <= clock.now) {
          opened = clock.reopen()
          await opened.renew()
        }
        expect([clock.now, isBlocked(counts, 'SECOND', clock.now)]).toEqual([clock.now, true])
      }
      expect(await clock.due()).toBe(end)
      await opened.renew()
      expect(isBlocked(counts, 'SECOND', clock.now)).toBe(false)
      expect(told.raised).toBe(3_600)
      expect(opened.blockedUntil('k_')).toBeNull()
    }))

  it('shows what was counted without what was raised', () =>
    withCounters(async (counters, { counts }, clock) => {
      const [window] = openWindows('k_', ['DAY'], clock.now)
      counts.set(window?.key ?? '', 7)
      const answer = await counters.block('k_', ['DAY'], clock.now + 60)
      expect(answer).toMatchObject({
        ok: true,
        value: { counters: [{ unit: 'DAY', hits: 7 }], blockedUntil: clock.now + 60 },
      })
      expect(counts.get(window?.key ?? '')).toBe(raise + 7)
    }))

  it('has one counter where windows of several units begin at the same moment, of the unit of its rule', () =>
    withCounters(async (counters, { counts, told }, clock) => {
      // A Thursday, twenty minutes after midnight.
      clock.now = Math.ceil(clock.now / 604_800) * 604_800 + 1_200
      const [window] = openWindows('k_', ['DAY'], clock.now)
      const key = window?.key ?? ''
      counts.set(key, 3)
      for (const [unit, shown] of [
        ['DAY', 'DAY'],
        ['HOUR', 'HOUR'],
        [null, 'WEEK'],
      ] as const) {
        const { value } = (await counters.read('k_', unit)) as { value: KeyReading }
        expect(value.counters).toMatchObject([{ unit: shown, hits: 3, windowStart: window?.start }])
      }
      const blocked = await counters.block('k_', ['DAY'], clock.now + 60)
      expect(blocked).toMatchObject({ value: { counters: [{ unit: 'DAY', hits: 3 }] } })
      told.raised = 0
      await counters.block('k_', units, clock.now + 60)
      expect([told.raised, new Set(counts.keys()).size]).toEqual([counts.size - 1, counts.size])
      expect(counts.get(key)).toBe(3 + raise)
      expect(await counters.reset('k_', 'DAY')).toMatchObject({ value: { counters: [{ hits: 3 }] } })
      expect(counts.size).toBe(0)
    }))

  it('lowers what a shorter block no longer reaches', () =>
    withCounters(async (counters, { counts }, clock) => {
      await counters.block('k_', ['SECOND'], clock.now + 100)
      await counters.block('k_', ['SECOND'], clock.now + 10)
      expect(isBlocked(counts, 'SECOND', clock.now + 9)).toBe(true)
      expect(counts.size).toBe(10)
    }))

  it('keeps a block that the store would not prolong', () =>
    withCounters(async (counters, { told }, clock) => {
      const until = clock.now + 60
      await counters.block('k_', ['DAY'], until)
      told.fails = true
      expect(await counters.block('k_', ['DAY'], until + 600)).toEqual({ ok: false, message: 'the store is away' })
      expect(counters.blockedUntil('k_')).toBe(until)
    }))

  it.each([false, true])(
    'lifts what was raised without a mark before the store failed, of a renewal: %s',
    (isRenewal) =>
      withCounters(async (counters, { counts, marks, told }, clock) => {
        if (isRenewal) {
          await counters.block('k_', ['SECOND'], clock.now + 3_600)
          clock.now = (await clock.due()) ?? 0
        }
        Object.assign(told, { failsLate: true, raisesWithoutMark: true })
        if (isRenewal) await counters.renew()
        else expect(await counters.block('k_', ['DAY'], clock.now + 60)).toMatchObject({ ok: false })
        Object.assign(told, { failsLate: false, raisesWithoutMark: false })
        await counters.block('k_', [], 0)
        // A window that is over keeps its mark.
        expect([...counts.keys()].filter((key) => !marks.has(key))).toEqual([])
      }),
  )

  it('lifts when the store is back what it could not lift at the end', () =>
    withCounters(async (counters, { counts, told }, clock) => {
      await counters.block('k_', ['DAY'], clock.now + 60)
      clock.now += 60
      told.fails = true
      await counters.renew()
      expect(isBlocked(counts, 'DAY', clock.now)).toBe(true)
      expect(counters.blockedUntil('k_')).toBe(clock.now)
      const due = await clock.due()
      expect(due).toBe(clock.now + 5)
      clock.now = due ?? 0
      told.fails = false
      await counters.renew()
      expect(counts.size).toBe(0)
      expect(counters.blockedUntil('k_')).toBeNull()
      expect(await counters.read('k_', null)).toEqual({ ok: true, value: { counters: [], blockedUntil: null } })
    }))

  it('forgets counters and block at a reset, and answers what was there', () =>
    withCounters(async (counters, { counts }, clock) => {
      const [window] = openWindows('k_', ['HOUR'], clock.now)
      counts.set(window?.key ?? '', 3)
      await counters.block('k_', ['HOUR'], clock.now + 60)
      expect(await counters.reset('k_', 'HOUR')).toMatchObject({
        ok: true,
        value: { counters: [{ unit: 'HOUR', hits: 3 }], blockedUntil: clock.now + 60 },
      })
      expect(counts.size).toBe(0)
      expect(counters.blockedUntil('k_')).toBeNull()
    }))

  it('blocks and lifts a counter above the value that a block adds, and leaves its hits', () =>
    withCounters(async (counters, { counts }, clock) => {
      const key = openWindows('k_', ['DAY'], clock.now)[0]?.key ?? ''
      for (const hits of [raise / 2, raise, 7 * raise]) {
        counts.set(key, hits)
        const answer = await counters.block('k_', ['DAY'], clock.now + 60)
        expect(answer).toMatchObject({ ok: true, value: { counters: [{ hits }] } })
        expect(counts.get(key)).toBe(hits + raise)
        await clock.reopen().block('k_', ['DAY'], clock.now + 90)
        expect(counts.get(key)).toBe(hits + raise)
        expect(await clock.reopen().block('k_', [], 0)).toMatchObject({ value: { counters: [{ hits }] } })
        expect(counts.get(key)).toBe(hits)
      }
      expect(await counters.reset('k_', null)).toMatchObject({ value: { counters: [{ hits: 7 * raise }] } })
      expect(counts.size).toBe(0)
    }))

  it('marks at the next renewal what was raised without a mark, and raises it no second time', () =>
    withCounters(async (counters, { counts, marks, told }, clock) => {
      const key = openWindows('k_', ['DAY'], clock.now)[0]?.key ?? ''
      told.raisesWithoutMark = true
      await counters.block('k_', ['DAY'], clock.now + 200_000)
      expect([counts.get(key), marks.size]).toEqual([raise, 0])
      told.raisesWithoutMark = false
      await counters.block('k_', ['DAY'], clock.now + 300_000)
      expect([counts.get(key), marks.get(key)]).toEqual([raise, raise])
    }))

  it('shows and lifts a block that was raised without a mark', () =>
    withCounters(async (counters, { counts, told }, clock) => {
      const key = openWindows('k_', ['DAY'], clock.now)[0]?.key ?? ''
      told.raisesWithoutMark = true
      await counters.block('k_', ['DAY'], clock.now + 600)
      counts.set(key, raise + 5)
      expect(await counters.read('k_', null)).toMatchObject({ value: { counters: [{ hits: 5 }] } })
      await counters.block('k_', [], 0)
      expect(counts.get(key)).toBe(5)
    }))
})
