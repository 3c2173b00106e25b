/** Readings of a key for operators: its counters with the part that is leased, and its block. They change no counter. */

import { readAlgorithmKey } from '#ratelimit/algorithm/algorithm-key.ts'
import { countHit, leasedWindows } from '#ratelimit/algorithm/count-hit.ts'
import { readCounters } from '#ratelimit/algorithm/reading.ts'
import type { CounterReading, KeyReading } from '#ratelimit/contract/counters.ts'
import { hasTurned, openWindow, peekHits, type Window } from '#ratelimit/counter.ts'
import type { CounterName, CounterRow } from '#ratelimit/durability/stored-window.ts'
import type { LeaseBook } from '#ratelimit/lease/lease-book.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'
import { nameOf } from './wire.ts'

interface ReadWindows {
  find(name: string, counter: CounterName, now: number): Window | undefined
}

/** Creates the readings of an object from its windows, blocks (Unix seconds of their ends) and leases. */
export function createReadings(windows: ReadWindows, blocks: ReadonlyMap<string, number>, leases: LeaseBook) {
  const nameAt = ({ key, unit }: CounterName) => nameOf(key, units.indexOf(unit))
  const find = ({ key, unit }: CounterName, now: number) => windows.find(nameAt({ key, unit }), { key, unit }, now)
  const sumLeased = (counter: CounterName, { start }: Window) => leases.outstanding(nameAt(counter), start)

  /** Enters the leases that a window has on disk into the book, which lacks them after a restart. */
  function restoreLeases(counter: CounterName, window: Window, nowMs: number): void {
    leases.restore(nameAt(counter), window.start, window.leases ?? [], nowMs)
  }

  function readUnit(key: string, unit: Unit, nowMs: number): readonly CounterReading[] {
    const now = Math.floor(nowMs / 1000)
    const window = find({ key, unit }, now)
    if (window === undefined) return []
    const open = openWindow(window, unit, now)
    restoreLeases({ key, unit }, open, nowMs)
    const outstanding = sumLeased({ key, unit }, open)
    if (hasTurned(window, open)) return []
    const { secondsUntilReset } = peekHits(window, unit, now)
    const reading = { unit, hits: open.hits, windowStart: open.start, secondsUntilReset }
    return [outstanding > 0 ? { ...reading, outstanding } : reading]
  }

  function readAlgorithm(question: CounterHit, nowMs: number): readonly CounterReading[] {
    const algorithm = readAlgorithmKey(question.key)?.algorithm
    if (algorithm === undefined) return []
    const leased = findLeasedRow(question, nowMs)
    const window = find(question, Math.floor(nowMs / 1000))
    const counted = countHit(algorithm, window, { addend: 0, limit: question.limit ?? 0, nowMs })
    return readCounters(question, leased === undefined ? counted : { ...counted, outstanding: leased.window.hits })
  }

  /** Makes the row of a counter of which open leases are all that is left: its hits are theirs. */
  function findLeasedRow({ key, unit }: CounterName, nowMs: number): CounterRow | undefined {
    const now = Math.floor(nowMs / 1000)
    const window = find({ key, unit }, now)
    if (window === undefined) return undefined
    const open = openWindow(window, leasedWindows(readAlgorithmKey(key)?.algorithm) ?? unit, now)
    restoreLeases({ key, unit }, open, nowMs)
    const hits = sumLeased({ key, unit }, open)
    return hits > 0 ? { key, unit, window: { start: open.start, hits } } : undefined
  }

  return {
    findLeasedRow,

    /** Reads the counters of the reference's windows of a key and those of `questions`, and its block. */
    readKey(key: string, questions: readonly CounterHit[]): KeyReading {
      const nowMs = Date.now()
      const ofUnits = units.flatMap((unit) => readUnit(key, unit, nowMs))
      const ofAlgorithms = questions.flatMap((question) => readAlgorithm(question, nowMs))
      const until = blocks.get(key) ?? 0
      const isBlocked = until > Math.floor(nowMs / 1000)
      return { counters: [...ofUnits, ...ofAlgorithms], blockedUntil: isBlocked ? until : null }
    },
  }
}
