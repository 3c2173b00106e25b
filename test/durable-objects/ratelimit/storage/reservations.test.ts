/** Reservations on disk: a change of one among many is a few rows, a restart finds all, and they go with their counter. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { type CounterTables, counterTables } from '#objects/ratelimit/storage/counters.ts'
import { openReceipts } from '#objects/ratelimit/storage/receipts.ts'
import { countHit } from '#ratelimit/algorithm/count-hit.ts'
import type { Window } from '#ratelimit/counter.ts'
import { mostOpen, mostRemembered } from '#ratelimit/reservation/reservations.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

const name = { key: 'k_\nfixed 3600 unsettled charged 600', unit: 'DAY' } as const
const algorithm = {
  ...({ kind: 'fixed', seconds: 3_600, charge: 'all' } as const),
  reserve: { unsettled: 'charged', timeToLive: 600 },
} as const

interface Disk {
  readonly tables: () => CounterTables
  /** Reservations that have a row, and rows of any table that were changed so far. */
  readonly rows: () => number
  readonly changes: () => number
  readonly restart: () => void
}

let made = 0
function withDisk(run: (disk: Disk) => void): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`reservation rows test ${made}`), (_, { storage }) => {
    const open = () => counterTables(storage, openReceipts(storage), 0.5)
    let tables = open()
    const count = (query: string) => storage.sql.exec<{ n: number }>(query).one().n
    run({
      tables: () => tables,
      rows: () => count('SELECT count(*) AS n FROM reservations'),
      changes: () => count('SELECT total_changes() AS n'),
      restart: () => {
        tables = open()
      },
    })
  })
}

/** One counter whose hits are written as they come. */
function counterOn({ tables }: Disk) {
  let window: Window | undefined
  return {
    hit(action: 'reserve' | 'settle', id: string, nowMs: number) {
      const counted = countHit(algorithm, window, { addend: 1, limit: 1_000_000, nowMs, step: { action, id } })
      window = counted.window ?? window
      if (counted.window !== null) tables().write([{ ...name, window: counted.window, spare: 0 }])
    },
    window: () => window,
  }
}

describe('reservationRows()', () => {
  it('writes a few rows for a change of one among all that a counter may have', () =>
    withDisk((disk) => {
      const { hit, window } = counterOn(disk)
      for (let id = 0; id < mostRemembered; id++) hit('reserve', `${id}`, 0)
      for (let id = 0; id < mostRemembered; id++) hit('settle', `${id}`, 0)
      for (let id = 0; id < mostOpen; id++) hit('reserve', `${id}`, 0)
      expect([disk.rows(), window()?.reservations?.length]).toEqual([1_100, 1_100])
      disk.restart()
      expect(disk.tables().row(name)?.window.reservations).toEqual(window()?.reservations)
      const before = disk.changes()
      for (let turn = 0; turn < 10; turn++) {
        hit('settle', `${turn * 90}`, 0)
        hit('reserve', `again ${turn}`, 0)
      }
      expect((disk.changes() - before) / 20).toBeLessThanOrEqual(3)
    }))

  it('finds after each restart what was written last, through random lives', () =>
    withDisk((disk) => {
      const random = createRandom(1, 'reservation rows')
      const { hit, window } = counterOn(disk)
      let nowMs = 1_700_000_000_000
      for (let turn = 0; turn < 1_500; turn++) {
        nowMs += random.integer(0, random.uniform() < 0.02 ? 1_300_000 : 9_000)
        hit(random.uniform() < 0.6 ? 'reserve' : 'settle', `${random.integer(0, 60)}`, nowMs)
        if (random.uniform() < 0.2) disk.restart()
        expect(disk.tables().row(name)?.window.reservations).toEqual(window()?.reservations)
      }
    }))

  it('removes them with their counter, by hand and when it is over', () =>
    withDisk((disk) => {
      const play = () => {
        const { hit } = counterOn(disk)
        for (let id = 0; id < 40; id++) hit('reserve', `${id}`, 0)
        return disk.rows()
      }
      expect(play()).toBe(40)
      disk.tables().forget(name.key)
      expect([disk.rows(), play()]).toEqual([0, 40])
      const removed = [200_000, 400_000].map((now) => disk.tables().expire(now, 500, undefined).unsettled)
      expect([removed, disk.rows(), play()]).toEqual([[0, 40], 0, 40])
    }))
})
