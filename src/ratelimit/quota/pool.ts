/** The Envoys that share one counter: their reports, what each is to get, and what that takes from the counter. */

import type { Unit } from '../types.ts'
import { unitSeconds, windowStart } from '../window.ts'
import { type Holding, leftOf, newHolding, report, type Usage } from './holding.ts'
import type { Draw } from './lease.ts'
import { type Division, divide, type Proposal, type Sent } from './proposal.ts'
import { propose } from './wish.ts'

/** What one counter is asked for: hits to count, unused hits to give back, and hits to hold as the next lease. */
export interface PoolDraw {
  readonly addend: number
  /** Names the lease that is given back; null when none is open. */
  readonly lease: number | null
  readonly unused: number
  readonly wanted: number
}

/** The Envoys of one counter. Times are Unix milliseconds of the caller's clock. */
export interface Pool {
  /** Applies a report; an unknown holder is taken up. Numbers beyond the limit and a hit are cut there. */
  report(holder: string, usage: Usage, nowMs: number): void
  /** Lets a holder go: what it had left counts as used. */
  leave(holder: string): void
  /** Holders that missed three reports; each is to leave. */
  silent(nowMs: number): readonly string[]
  /**
   * Finds what to draw; `settle` or `fail` must follow before the next plan.
   *
   * @returns null when there is nothing to send and nothing to tell the counter.
   */
  plan(nowMs: number): PoolDraw | null
  /**
   * Takes the answer to a draw.
   *
   * @param lease - the name of the lease that the draw opened.
   * @param nowMs - when the answer came.
   * @returns what to send to each holder.
   */
  settle(draw: Draw, lease: number, nowMs: number): readonly Sent[]
  /** Says that the answer is lost: what is out stays charged to the window, and nothing new is handed out. */
  fail(): void
  readonly size: number
}

/** What a pool divides, and how. */
export interface PoolOptions {
  /** Hits that a window admits, 0 to 2^32 - 1. */
  readonly limit: number
  readonly unit: Unit
  /** Seconds that an assignment lasts at most. */
  readonly lifeSeconds: number
}

/** A holder is silent after three missed reports, but not sooner than this, in milliseconds. */
const leastSilenceMs = 15_000
/** A counter that is not asked for so long, in milliseconds, may be out of memory, and its leases with it. */
const keepAliveMs = 4_000
/** Unused part of a lease that is worth a call to give back. */
const worthReturning = 0.05

/** Longest time that a message takes between the object and an Envoy: 2 % of the window, a second at most. */
export function lagOf(unit: Unit): number {
  return Math.min(1_000, unitSeconds[unit] * 20)
}

/** Makes the pool of one counter. */
export function createPool({ limit, unit, lifeSeconds }: PoolOptions): Pool {
  const holdings = new Map<string, Holding>()
  const lagMs = lagOf(unit)
  /** Clocks may differ by 1 % of the window, and by five seconds at most. */
  const marginMs = Math.min(5_000, unitSeconds[unit] * 10)
  let window = 0
  let safeEndMs = 0
  /** Hits of the window that are not in the open lease, as of the last answer. */
  let others = 0
  let lease: { readonly id: number; readonly granted: number } | null = null
  let spent = 0
  let excess = 0
  /** Reports and departures that came while a draw was on its way. */
  let waiting: (() => void)[] | null = null
  let proposals: readonly Proposal[] = []
  let planned = { nowMs: 0, endsMs: 0 }
  let drawnMs = 0

  const inTurn = (step: () => void) => (waiting === null ? step() : void waiting.push(step))

  function keepReport(holder: string, { allowed, denied }: Usage, nowMs: number): void {
    const usage = { allowed: Math.min(allowed, limit + 1), denied: Math.min(denied, limit + 1) }
    const holding = holdings.get(holder) ?? newHolding(nowMs)
    const reported = report(holding, usage, { nowMs, lagMs, windowStart: window })
    holdings.set(holder, reported.holding)
    spent += reported.spent
    excess += reported.excess
  }

  function drop(holder: string): void {
    const holding = holdings.get(holder)
    if (holding !== undefined) spent += leftOf(holding, window)
    holdings.delete(holder)
  }

  function turnWindow(nowMs: number): void {
    const start = windowStart(unit, Math.floor(nowMs / 1000))
    if (start <= window) return
    window = start
    safeEndMs = (start + unitSeconds[unit]) * 1000 - marginMs
    others = 0
    lease = null
    spent = 0
  }

  /** Plans for assignments that last as long as they may in this window. */
  function proposeAll(nowMs: number, budget: number): readonly Proposal[] {
    const restMs = safeEndMs - nowMs - lagMs
    const wholeSeconds = Math.min(lifeSeconds, Math.max(0, Math.floor(restMs / 1000)))
    planned = { nowMs, endsMs: nowMs + wholeSeconds * 1000 + lagMs }
    const restSeconds = Math.max(1, restMs / 1000)
    return propose([...holdings], budget, { ...planned, window, lagMs, lifeSeconds, restSeconds })
  }

  function divided(most: number): Division {
    const terms = { window, lagMs, nowMs: planned.nowMs, endsMs: planned.endsMs }
    return divide(proposals, holdings, most, terms)
  }

  function resume(): void {
    const steps = waiting ?? []
    waiting = null
    for (const step of steps) step()
  }

  return {
    report: (holder, usage, nowMs) => inTurn(() => keepReport(holder, usage, nowMs)),
    leave: (holder) => inTurn(() => drop(holder)),
    silent: (nowMs) =>
      [...holdings]
        .filter(
          ([, held]) => nowMs - held.lastReportMs > Math.max(leastSilenceMs, 3 * held.intervalMs + lagMs),
        )
        .map(([holder]) => holder),

    plan(nowMs) {
      turnWindow(nowMs)
      const budget = Math.max(0, limit - others - spent - excess)
      proposals = proposeAll(nowMs, budget)
      const { held, sent } = divided(budget)
      // Should the answer be lost, what is in force goes on as it is.
      const inForce = [...holdings.values()].reduce((sum, holding) => sum + leftOf(holding, window), 0)
      const granted = lease?.granted ?? 0
      const isWorthReturning = granted - spent - held > worthReturning * limit
      const isFresh = lease === null || nowMs - drawnMs < keepAliveMs
      if (sent.length === 0 && excess < 1 && !isWorthReturning && isFresh) return null
      waiting = []
      drawnMs = nowMs
      const unused = Math.max(0, Math.floor(granted - spent))
      return {
        addend: Math.ceil(excess),
        lease: lease?.id ?? null,
        unused,
        wanted: Math.ceil(Math.max(held, inForce)),
      }
    },

    settle(draw, id, nowMs) {
      // An answer that took long leaves too little of the lag for the way to the Envoys.
      const isPresent = draw.windowStart === window && nowMs - planned.nowMs <= lagMs / 2
      excess = 0
      if (draw.windowStart >= window) {
        window = draw.windowStart
        spent = 0
        others = draw.after - draw.granted
        lease = draw.granted > 0 ? { id, granted: draw.granted } : null
        safeEndMs = planned.nowMs + draw.millisecondsUntilReset - marginMs
      } else lease = null
      const sent: Sent[] = []
      // Where the counter's clock shows another window, or an earlier end, than was planned for, the next plan knows.
      if (isPresent && planned.endsMs <= safeEndMs + marginMs / 2) {
        const result = divided(draw.granted)
        for (const [holder, holding] of result.holdings) holdings.set(holder, holding)
        sent.push(...result.sent)
      }
      resume()
      return sent
    },

    fail() {
      // The lease may have been closed and another opened; neither is ever given back.
      others += lease?.granted ?? 0
      lease = null
      spent = 0
      resume()
    },

    get size() {
      return holdings.size
    },
  }
}
