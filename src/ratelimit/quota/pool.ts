/** The Envoys that share one counter: their reports, what each is to get, and what that takes from the counter. */

import type { Unit } from '../types.ts'
import { unitSeconds, windowStart } from '../window.ts'
import { fairShares } from './fair-share.ts'
import { type Holding, leftOf, newHolding, report, type Usage } from './holding.ts'
import type { Draw } from './lease.ts'
import { type Division, divide, isRefusedFor, type Proposal, type Sent } from './proposal.ts'
import { bucketFor, rateOf } from './token-bucket.ts'

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
/** Part of its demand that a holder gets beyond it, so that a demand that grows shows. */
const headroom = 1.1

/** A window that lasts no longer than this, in seconds, gets no more assignments. */
const leastLifeSeconds = 2
/** A counter that is not asked for so long, in milliseconds, may be out of memory, and its leases with it. */
const keepAliveMs = 4_000
/** Unused part of a lease that is worth a call to give back. */
const worthReturning = 0.05

/** What a holder is to get, before it is known what there is. */
interface Wish {
  readonly hits: number
  readonly seconds: number
  readonly nowMs: number
  readonly endsMs: number
}

/** Hits that have probably passed since the last report; for the pace only, never for the bound. */
function likelyUsed({ assignments, demand, lastReportMs }: Holding, nowMs: number, window: number): number {
  const inForce = assignments.at(-1)
  if (inForce?.windowStart !== window) return 0
  const from = Math.max(lastReportMs, inForce.startedMs)
  const seconds = Math.max(0, Math.min(nowMs, inForce.endsMs) - from) / 1000
  return Math.min(inForce.left, Math.min(demand, rateOf(inForce.bucket)) * seconds)
}

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

  /** What each holder should have until the assignment's end, before it is known what there is. */
  function propose(nowMs: number, budget: number): readonly Proposal[] {
    const most = Math.max(0, Math.floor((safeEndMs - nowMs - lagMs) / 1000))
    const wholeSeconds = Math.min(lifeSeconds, most)
    const seconds = wholeSeconds + lagMs / 1000
    const endsMs = nowMs + seconds * 1000
    planned = { nowMs, endsMs }
    const rest = Math.max(1, (safeEndMs - nowMs - lagMs) / 1000)
    const members = [...holdings]
    const demands = members.map(([, { demand }]) => Math.max(1 / rest, demand * headroom))
    const unreported = members.reduce((sum, [, holding]) => sum + likelyUsed(holding, nowMs, window), 0)
    const shares = fairShares(demands, Math.max(0, budget - unreported) / rest)
    return members.map(([holder, holding], at) => {
      const hits = wholeSeconds < leastLifeSeconds ? 0 : (shares[at] ?? 0) * seconds
      return proposalFor(holder, holding, { hits, seconds, nowMs, endsMs })
    })
  }

  function proposalFor(holder: string, holding: Holding, wish: Wish): Proposal {
    const { hits, seconds, nowMs, endsMs } = wish
    const inForce = holding.assignments.at(-1)
    const isInForce =
      inForce !== undefined && inForce.windowStart === window && inForce.endsMs > nowMs + 2 * lagMs
    const next = bucketFor(hits, seconds)
    if (isInForce) {
      const rate = rateOf(inForce.bucket)
      const isEnough = rate >= holding.demand * headroom
      const change = next === null ? 0 : rateOf(next) - rate
      // Until the next report a bucket that was replaced is charged as if it had been used to the end.
      const cost = inForce.bucket.maxTokens + rate * ((2 * lagMs) / 1000)
      const isSlight = Math.abs(change) <= rate / 10 || Math.abs(change) * seconds < 2 * cost
      // A new bucket starts full: one is enough until a report tells what became of it.
      const isUnreported = holding.lastReportMs < inForce.startedMs
      const isNear = next !== null && (isSlight || isUnreported || (isEnough && change > 0))
      const isHalfOver = inForce.endsMs - nowMs < (lifeSeconds * 1000) / 2 && endsMs > inForce.endsMs + 1_000
      if (isNear) return isHalfOver ? { holder, kind: 'extend', hits: 0 } : { holder, kind: 'keep', hits: 0 }
      if (next === null) return { holder, kind: 'keep', hits: 0 }
      return { holder, kind: 'replace', hits }
    }
    if (hits > 0) return { holder, kind: 'replace', hits }
    return { holder, kind: isRefusedFor(holding, nowMs) ? 'keep' : 'refuse', hits: 0 }
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
      proposals = propose(nowMs, budget)
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
