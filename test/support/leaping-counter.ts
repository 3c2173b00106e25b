/** A counter in memory whose clock leaps: hits, leases, ceilings on a disk, crashes, and what true windows admitted. */

import type { Random } from '#base/random.ts'
import { addHits, type Window } from '#ratelimit/counter.ts'
import {
  beginWrite,
  type DiskRow,
  endWrite,
  readWindow,
  rowToWrite,
  type StoredWindow,
  storeHit,
} from '#ratelimit/durability/stored-window.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units, windowStart } from '#ratelimit/window.ts'

/** The counter to make. */
export interface LeapingPlan {
  readonly unit: Unit
  readonly limit: number
  readonly random: Random
  readonly hasLeases: boolean
  readonly hasCeilings: boolean
}

/** A counter whose clock can be set. */
export interface LeapingCounter {
  /** Passes true time, which the clock follows. */
  pass(seconds: number): void
  /** Sets the clock off true time by so many seconds; 0 sets it right. */
  setClock(aheadSeconds: number): void
  /** One request; it is admitted or refused, or draws a lease. */
  hit(addend: number): void
  /** Gives a part of a lease back. */
  giveBack(): void
  /** Starts the counter anew from its disk. */
  crash(): void
  /**
   * Hits and leases that the true window has admitted since the clock reached it: what a clock that is behind counts
   * belongs to the window that it shows.
   */
  admitted(): number
  /** Tells whether the last hit went beyond the limit of the true window while the clock was not ahead of it. */
  isBeyond(): boolean
}

interface Lease {
  readonly id: number
  readonly granted: number
  readonly trueStart: number
}

const startMs = 1_700_000_000_000

/** Makes a counter at a random moment. */
export function leapingCounter({ unit, limit, random, hasLeases, hasCeilings }: LeapingPlan): LeapingCounter {
  let trueMs = startMs + random.integer(0, 86_400_000)
  let aheadMs = 0
  let kept: Window | undefined
  let stored: StoredWindow | undefined
  let disk: string | undefined
  let book = createLeaseBook()
  let leases: Lease[] = []
  let ids = 0
  const admitted = new Map<number, number>()
  let reached = Number.NEGATIVE_INFINITY
  let isBeyond = false

  const trueStart = () => windowStart(unit, Math.floor(trueMs / 1000))
  const total = (start: number) => admitted.get(start) ?? 0

  const label = () => windowStart(unit, Math.floor((trueMs + aheadMs) / 1000))

  /** Notes that the clock has reached the true window, which begins with nothing. */
  function look(): void {
    const start = trueStart()
    if (reached === start || label() < start) return
    reached = start
    admitted.set(start, 0)
  }

  function admit(hits: number): void {
    const start = trueStart()
    admitted.set(start, total(start) + hits)
    isBeyond = reached === start && label() <= start && total(start) > limit
  }

  function keep(window: Window): void {
    const nowMs = trueMs + aheadMs
    kept = window
    if (!hasCeilings) {
      write({ ...row(window), spare: 0 })
      return
    }
    // A call without a limit now and then makes the disk hold the count itself.
    const admits = stored !== undefined && random.uniform() < 0.05 ? null : limit
    stored = storeHit(stored, row(window), { limit: admits, nowMs, durability: 'durable' })
    if (stored.state !== 'pending') return
    write(rowToWrite(stored))
    stored = endWrite(beginWrite(stored), true)
  }

  const row = (window: Window) => ({ key: 'a', unit, window })

  function write({ window, ...others }: DiskRow): void {
    disk = JSON.stringify({ ...others, window: { ...window, runsSince: undefined, ranUntil: undefined } })
  }

  function draw(addend: number, wanted: number, returned: readonly number[]): void {
    const id = ++ids
    const wire = ['a', units.indexOf(unit), addend, limit, wanted, 1, returned] as const
    const counter = { name: 'a', unit, window: kept, isBlocked: false }
    const { window, draw: answer } = drawFrom(book, counter, wire, { id, holder: 1, nowMs: trueMs + aheadMs })
    keep(window)
    const hits = (answer.after - answer.granted <= limit ? addend : 0) + answer.granted
    if (answer.granted > 0) leases.push({ id, granted: answer.granted, trueStart: trueStart() })
    if (hits > 0) admit(hits)
  }

  return {
    pass(seconds) {
      trueMs += seconds * 1000
    },
    setClock(aheadSeconds) {
      aheadMs = aheadSeconds * 1000
    },
    hit(addend) {
      isBeyond = false
      look()
      if (hasLeases && random.uniform() < 0.5) return draw(addend, random.integer(0, limit >> 2), [])
      const { window, hits } = addHits(kept, unit, addend, Math.floor((trueMs + aheadMs) / 1000))
      keep(window)
      if (hits.after <= limit) admit(addend)
    },
    giveBack() {
      const [lease, ...others] = leases
      if (lease === undefined) return
      isBeyond = false
      leases = others
      look()
      // What was not used of a lease was not admitted.
      const unused = random.integer(0, lease.granted)
      admitted.set(lease.trueStart, total(lease.trueStart) - unused)
      draw(0, 0, [lease.id, unused])
    },
    crash() {
      stored = disk === undefined ? undefined : readWindow(JSON.parse(disk) as DiskRow)
      kept = stored?.window
      book = createLeaseBook()
    },
    admitted: () => total(trueStart()),
    isBeyond: () => isBeyond,
  }
}
