/** Windows in memory and on disk: an answer finds its count on disk, and the disk is never far ahead of it. */

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { durableWindows } from '#objects/ratelimit/counter/durable-windows.ts'
import { keptWindows } from '#objects/ratelimit/counter/kept-windows.ts'
import type { CounterTables } from '#objects/ratelimit/storage/counters.ts'
import { lossBudget } from '#ratelimit/durability/ceiling.ts'
import type { CounterRow, DiskRow, Durability } from '#ratelimit/durability/stored-window.ts'

/** A disk: what was written is on it once `sync` has resolved. */
function disk() {
  const written = new Map<string, DiskRow>()
  const synced = new Map<string, DiskRow>()
  const state = { writes: 0, fails: false, isOwn: true }
  // Nothing else of the tables is used.
  const tables = {
    row({ key }: { readonly key: string }) {
      const row = synced.get(key)
      return row && { ...row, isOwn: state.isOwn }
    },
    write(rows: readonly DiskRow[]) {
      state.writes += 1
      if (state.fails) throw new Error('the disk is full')
      for (const row of rows) written.set(row.key, row)
    },
  } as unknown as CounterTables
  const sync = async () => {
    const syncing = [...written]
    await null
    for (const [key, row] of syncing) synced.set(key, row)
  }
  return { tables, sync, state, hits: (key: string) => synced.get(key)?.window.hits }
}

let opened = 0

function open(durability: Durability) {
  const { tables, sync, ...rest } = disk()
  const onWrite: (readonly CounterRow[])[] = []
  opened += 1
  const kept = keptWindows(`${opened}`)
  const options = { tables, durability, kept, sync, onWrite: (rows: readonly CounterRow[]) => void onWrite.push(rows) }
  return { windows: durableWindows(options), again: () => durableWindows(options), onWrite, ...rest }
}

const row = (key: string, hits: number, unit: CounterRow['unit'] = 'DAY', start = 0): CounterRow => ({
  key,
  unit,
  window: { start, hits },
})

/** The object's clock, which stays where a test puts it, however slow the machine is. */
let nowMs = 0
beforeEach(() => {
  nowMs = 86_400_000 * 20_000
  vi.spyOn(Date, 'now').mockImplementation(() => nowMs)
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('durableWindows()', () => {
  it.each(['durable', 'strict'] as const)(
    'in mode %s has every answered hit on disk, and no more than the budget of crashes ahead of it (property)',
    async (durability) => {
      const hit = fc.record({ key: fc.constantFrom('a', 'b'), addend: fc.nat(40), waitMs: fc.nat(300) })
      await fc.assert(
        fc.asyncProperty(fc.array(hit, { maxLength: 60 }), async (hits) => {
          const { windows, hits: onDisk } = open(durability)
          const limit = 1_000
          const counts = new Map<string, number>()
          for (const { key, addend, waitMs } of hits) {
            nowMs += waitMs
            const count = (counts.get(key) ?? 0) + addend
            counts.set(key, count)
            windows.keep(key, row(key, count), { limit, nowMs })
            await windows.covered([key])
            const found = onDisk(key) ?? 0
            expect(found).toBeGreaterThanOrEqual(count)
            expect(found - count).toBeLessThanOrEqual(durability === 'strict' ? 0 : lossBudget(limit))
            expect(windows.find(key, row(key, 0), 0)?.hits).toBe(count)
          }
          for (const key of counts.keys()) windows.forget(key)
        }),
        { seed: 8, numRuns: 30 },
      )
    },
  )

  it('answers many hits of a burst with few writes in mode durable', async () => {
    const { windows, state } = open('durable')
    for (let count = 1; count <= 1_000; count++) {
      nowMs += 1
      windows.keep('a', row('a', count), { limit: 100_000, nowMs })
      await windows.covered(['a'])
    }
    expect(state.writes).toBeLessThan(100)
    windows.forget('a')
  })

  it('sets no timer, so that an object below its ceilings may be forgotten', async () => {
    const setTimer = vi.spyOn(globalThis, 'setTimeout')
    const { windows, hits } = open('durable')
    for (let count = 1; count <= 50; count++) {
      windows.keep('a', row('a', count), { limit: 100_000, nowMs })
      await windows.covered(['a'])
    }
    expect([Number(hits('a')) > 50, setTimer.mock.calls]).toEqual([true, []])
  })

  describe('after the object was forgotten', () => {
    async function hitFiftyTimes() {
      const opened = open('durable')
      for (let count = 1; count <= 50; count++) {
        opened.windows.keep('a', row('a', count), { limit: 100_000, nowMs })
        await opened.windows.covered(['a'])
      }
      return { ...opened, before: opened.state.writes }
    }

    it('go on below the ceiling in the same isolate, with no write', async () => {
      const { again, state, before } = await hitFiftyTimes()
      const windows = again()
      expect(windows.find('a', row('a', 0), 0)?.hits).toBe(50)
      windows.keep('a', row('a', 51), { limit: 100_000, nowMs })
      expect([windows.covered(['a']), state.writes]).toEqual([undefined, before])
    })

    it('count the ceiling where another isolate wrote the row, or hits there have changed it', async () => {
      const { again, state, hits } = await hitFiftyTimes()
      state.isOwn = false
      expect(again().find('a', row('a', 0), 0)?.hits).toBe(hits('a'))
      const other = again()
      const count = 1 + (other.find('a', row('a', 0), 0)?.hits ?? 0)
      other.keep('a', row('a', count), { limit: 100_000, nowMs })
      await other.covered(['a'])
      state.isOwn = true
      expect(again().find('a', row('a', 0), 0)?.hits).toBe(count)
    })
  })

  it('rejects those whose count could not be written, and writes again for the next hit', async () => {
    const { windows, state, hits } = open('durable')
    state.fails = true
    for (const key of ['a', 'b']) windows.keep(key, row(key, 1), { limit: 1_000, nowMs })
    await expect(windows.covered(['a'])).rejects.toThrow('the disk is full')
    state.fails = false
    // The commit had the rows of both, so the disk lacks both.
    for (const key of ['a', 'b']) windows.keep(key, row(key, 1), { limit: 1_000, nowMs })
    await windows.covered(['a', 'b'])
    expect([hits('a'), hits('b')]).toEqual([1, 1])
  })

  it('has callers wait for a write of their counter that has begun, and others for none', async () => {
    const { windows } = open('strict')
    windows.keep('a', row('a', 1), { limit: null, nowMs })
    const first = windows.covered(['a'])
    expect([windows.covered(['a']) === undefined, windows.covered(['b'])]).toEqual([false, undefined])
    await first
    expect([windows.covered(['a']), windows.isSaved()]).toEqual([undefined, true])
  })

  it('keeps an exact count on disk when hits were given back', async () => {
    const { windows, hits } = open('durable')
    for (let count = 1; count <= 50; count++) {
      windows.keep('a', row('a', count), { limit: 100_000, nowMs })
      await windows.covered(['a'])
    }
    for (const count of [20, 19]) {
      windows.keep('a', row('a', count), { limit: null, nowMs })
      await windows.covered(['a'])
      expect(hits('a')).toBe(count)
    }
  })

  it('writes leases that have changed below a ceiling: one that is open on disk only could be given back twice', async () => {
    const { windows, state } = open('durable')
    windows.keep('a', row('a', 50), { limit: 100_000, nowMs })
    await windows.covered(['a'])
    const before = state.writes
    const { window, ...place } = row('a', 40)
    windows.keep('a', { ...place, window: { ...window, leases: [[1, 30]] } }, { limit: 100_000, nowMs })
    await windows.stored(['a'])
    const leased = windows.find('a', place, 0) ?? window
    windows.keep('a', { ...place, window: { ...leased, hits: 41 } }, { limit: 100_000, nowMs })
    await windows.stored(['a'])
    expect(state.writes).toBe(before + 1)
  })

  it('in mode relaxed answers before it writes, and writes what was handed out first', async () => {
    const { windows, hits, state } = open('relaxed')
    windows.keep('a', row('a', 3), { limit: 1_000, nowMs })
    expect([windows.covered(['a']), windows.isSaved(), state.writes]).toEqual([undefined, false, 0])
    await windows.stored(['a'])
    expect(hits('a')).toBe(3)
    windows.keep('a', row('a', 4), { limit: 1_000, nowMs })
    windows.covered(['a'])
    await expect.poll(() => hits('a')).toBe(4)
  })

  it('in mode relaxed writes nothing for a window that has not changed', async () => {
    const { windows, state } = open('relaxed')
    for (let call = 0; call < 2; call++) {
      windows.keep('a', row('a', 3), { limit: 1_000, nowMs })
      await windows.stored(['a'])
    }
    expect(state.writes).toBe(1)
  })

  it('does not write a window that was forgotten while its commit was on its way', async () => {
    const { windows, onWrite } = open('durable')
    windows.keep('a', row('a', 1), { limit: 1_000, nowMs })
    const committed = windows.covered(['a'])
    windows.keep('a', row('a', 2), { limit: 1_000, nowMs })
    windows.forget('a')
    await committed
    expect([windows.isSaved(), windows.covered(['a']), onWrite.length]).toEqual([true, undefined, 1])
  })

  it('never writes windows of a second, and reports each write to the owner', async () => {
    const { windows, onWrite, state } = open('durable')
    windows.keep('s', row('s', 3, 'SECOND'), { limit: 10, nowMs: 0 })
    expect([windows.covered(['s']), windows.isSaved(), state.writes]).toEqual([undefined, true, 0])
    windows.keep('a', row('a', 1), { limit: 10, nowMs: 0 })
    await windows.covered(['a'])
    expect(onWrite).toEqual([[expect.objectContaining({ key: 'a', window: { start: 0, hits: 1 } })]])
  })
})
