/** Readings of a key for operators: its counters with what of them is leased, and its block. They count nothing. */

import { readAlgorithmKey } from '#ratelimit/algorithm/algorithm.ts'
import { countHit, leasedWindows } from '#ratelimit/algorithm/count-hit.ts'
import { readCounters } from '#ratelimit/algorithm/reading.ts'
import type { CounterReading, KeyReading } from '#ratelimit/contract/counters.ts'
import { openWindow, peekHits, type Window } from '#ratelimit/counter.ts'
import type { CounterName, CounterRow } from '#ratelimit/durability/stored-window.ts'
import type { LeaseBook } from '#ratelimit/lease/lease-book.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'
import { nowSeconds } from '../../base/now.ts'
import { nameOf } from './wire.ts'

interface ReadWindows {
  find(name: string, counter: CounterName, now: number): Window | undefined
}

/** Makes the readings of an object by its windows, blocks (Unix seconds of their ends) and leases. */
export function counterReadings(windows: ReadWindows, blocks: ReadonlyMap<string, number>, leases: LeaseBook) {
  const find = ({ key, unit }: CounterName, now: number) =>
    windows.find(nameOf(key, units.indexOf(unit)), { key, unit }, now)

  /** Finds how much of a window is leased; the leases that the disk has are taken into the book first. */
  function countLeased({ key, unit }: CounterName, window: Window, now: number): number {
    const name = nameOf(key, units.indexOf(unit))
    leases.restore(name, window.start, window.leases ?? [], now * 1000)
    return leases.outstanding(name, window.start)
  }

  function ofUnit(key: string, unit: Unit, now: number): readonly CounterReading[] {
    const window = find({ key, unit }, now)
    if (window === undefined) return []
    const open = openWindow(window, unit, now)
    const outstanding = countLeased({ key, unit }, open, now)
    if (open.start !== window.start && open.hits === 0) return []
    const { secondsUntilReset } = peekHits(window, unit, now)
    const reading = { unit, hits: open.hits, windowStart: open.start, secondsUntilReset }
    return [outstanding > 0 ? { ...reading, outstanding } : reading]
  }

  function ofAlgorithm(look: CounterHit): readonly CounterReading[] {
    const { key, limit = 0 } = look
    const [counter, nowMs] = [readAlgorithmKey(key), Date.now()]
    if (counter === null) return []
    const [row] = leasedRow(look)
    const counted = countHit(counter.algorithm, find(look, Math.floor(nowMs / 1000)), { addend: 0, limit, nowMs })
    return readCounters(look, row === undefined ? counted : { ...counted, outstanding: row.window.hits })
  }

  /** Makes the row of a counter of which open leases are all that is left; none where there are no leases. */
  function leasedRow({ key, unit }: CounterName): readonly CounterRow[] {
    const now = nowSeconds()
    const window = find({ key, unit }, now)
    if (window === undefined) return []
    const open = openWindow(window, leasedWindows(readAlgorithmKey(key)?.algorithm) ?? unit, now)
    const hits = countLeased({ key, unit }, open, now)
    return hits > 0 ? [{ key, unit, window: { start: open.start, hits } }] : []
  }

  return {
    leasedRow,

    /** Reads the counters of the reference's windows of a key and those of `looks`, and its block. */
    ofKey(key: string, looks: readonly CounterHit[]): KeyReading {
      const now = nowSeconds()
      const counters = [...units.flatMap((unit) => ofUnit(key, unit, now)), ...looks.flatMap(ofAlgorithm)]
      const until = blocks.get(key) ?? 0
      return { counters, blockedUntil: until > now ? until : null }
    },
  }
}
