/** The Envoys that share one counter: their reports, what each is to get, and what that takes from the counter. */

import type { Draw } from '../lease/lease.ts'
import type { Unit } from '../types.ts'
import { unitSeconds, windowStart } from '../window.ts'
import { type Division, divide, type Sent } from './division.ts'
import { type Holding, newHolding, report, sumLeft, type Usage } from './holding.ts'
import { type Proposal, propose } from './proposal.ts'

/** Draw from one counter: hits to count, unused hits to give back, and hits to hold as the next lease. */
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
  /** Notes that a holder's stream has ended: its hits stay held until it reports again, or is silent for too long. */
  detach(holder: string): void
  /** Tells whether a detached holder may have sent a report, by its hits and by the time that it speaks of. */
  fits(holder: string, usage: Usage, nowMs: number): boolean
  /** Holders that missed three reports; each is to leave. */
  silent(nowMs: number): readonly string[]
  /** Finds what to draw, for `settle` or `fail` to follow; null when there is nothing to send or to say. */
  plan(nowMs: number): PoolDraw | null
  /** Takes the answer to a draw, which opened `lease`; returns what to send to each holder. */
  settle(draw: Draw, lease: number, nowMs: number): readonly Sent[]
  /** Says that the answer is lost: what is out stays charged to the window, and nothing new is handed out. */
  fail(): void
  /** Returns the state for a pool after a restart; null while a draw is on its way. */
  state(): PoolState | null
  readonly size: number
}

/** A pool between two draws. */
export interface PoolState {
  /** Start of the window, Unix time in seconds. */
  readonly window: number
  readonly safeEndMs: number
  /** Hits of the window that are not in the open lease, as of the last answer. */
  readonly others: number
  /** Hits of the lease that were reported since it was opened. */
  readonly spent: number
  /** Reported hits that are to be counted. */
  readonly excess: number
  readonly lease: { readonly id: number; readonly granted: number } | null
  readonly holdings: readonly (readonly [holder: string, holding: Holding])[]
}

interface PoolOptions {
  /** Hits that a window admits, 0 to 2^32 - 1. */
  readonly limit: number
  readonly unit: Unit
  /** Seconds that an assignment lasts at most. */
  readonly lifeSeconds: number
}

/** A holder is silent after three missed reports, but not sooner than this, in milliseconds. */
const leastSilenceMs = 15_000
/** Milliseconds without a draw after which the pool asks for the use of others. */
const lookMs = 4_000
/** Unused part of a lease that is worth a call to give back. */
const worthReturning = 0.05

/** Longest time that a message takes between the object and an Envoy: 2 % of the window, a second at most. */
export function computeLag(unit: Unit): number {
  return Math.min(1_000, unitSeconds[unit] * 20)
}

/** Makes the pool of one counter; holders of an earlier pool are detached until they report. */
export function createPool({ limit, unit, lifeSeconds }: PoolOptions, before?: PoolState): Pool {
  const holdings = new Map<string, Holding>()
  const lagMs = computeLag(unit)
  /** Clocks may differ by 1 % of the window, and by five seconds at most. */
  const marginMs = Math.min(5_000, unitSeconds[unit] * 10)
  for (const [holder, holding] of before?.holdings ?? []) holdings.set(holder, { ...holding, isDetached: true })
  let { window, safeEndMs, others, lease, spent, excess } = before ?? freshState
  /** Reports and departures that came while a draw was on its way. */
  let waiting: (() => void)[] | null = null
  let proposals: readonly Proposal[] = []
  let planned = { nowMs: 0, endsMs: 0 }
  let drawnMs = 0
  /** True while the draw on its way only asks what others have used. */
  let isLook = false

  const inTurn = (step: () => void) => (waiting === null ? step() : void waiting.push(step))

  function keepReport(holder: string, { allowed, denied, elapsed }: Usage, nowMs: number): void {
    const usage = { allowed: Math.min(allowed, limit + 1), denied: Math.min(denied, limit + 1), elapsed }
    const holding = holdings.get(holder) ?? newHolding(nowMs)
    const reported = report(holding, usage, { nowMs, lagMs, windowStart: window })
    holdings.set(holder, reported.holding)
    spent += reported.spent
    excess += reported.excess
  }

  function drop(holder: string): void {
    const holding = holdings.get(holder)
    if (holding !== undefined) spent += sumLeft(holding, window)
    holdings.delete(holder)
  }

  function detach(holder: string): void {
    const holding = holdings.get(holder)
    if (holding === undefined) return
    if (holding.assignments.length === 0) drop(holder)
    else holdings.set(holder, { ...holding, isDetached: true })
  }

  function isSilent({ lastReportMs, intervalMs, isDetached, assignments }: Holding, nowMs: number): boolean {
    const silentFromMs = lastReportMs + Math.max(leastSilenceMs, 3 * intervalMs + lagMs)
    const endsMs = isDetached ? (assignments.at(-1)?.endsMs ?? 0) + leastSilenceMs : 0
    return nowMs > Math.max(silentFromMs, endsMs)
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

  function divideHits(most: number): Division {
    return divide(proposals, holdings, most, { ...planned, window, lagMs })
  }

  function resume(): void {
    const steps = waiting ?? []
    waiting = null
    for (const step of steps) step()
  }

  return {
    report: (holder, usage, nowMs) => inTurn(() => keepReport(holder, usage, nowMs)),
    leave: (holder) => inTurn(() => drop(holder)),
    detach: (holder) => inTurn(() => detach(holder)),
    silent: (nowMs) => [...holdings].filter(([, held]) => isSilent(held, nowMs)).map(([holder]) => holder),
    fits(holder, { allowed, elapsed }, nowMs) {
      const holding = holdings.get(holder)
      if (holding === undefined || !holding.isDetached) return false
      const left = holding.assignments.reduce((sum, assignment) => sum + assignment.left, 0)
      return allowed <= left && elapsed * 1000 <= nowMs - holding.lastReportMs + lagMs
    },

    plan(nowMs) {
      turnWindow(nowMs)
      const budget = Math.max(0, limit - others - spent - excess)
      proposals = proposeAll(nowMs, budget)
      const { held, sent } = divideHits(budget)
      // Should the answer be lost, what is in force goes on as it is.
      const inForce = [...holdings.values()].reduce((sum, holding) => sum + sumLeft(holding, window), 0)
      const granted = lease?.granted ?? 0
      const isWorthReturning = granted - spent - held > worthReturning * limit
      isLook = sent.length === 0 && excess < 1 && !isWorthReturning
      if (isLook && (lease === null || nowMs - drawnMs < lookMs)) return null
      waiting = []
      drawnMs = nowMs
      if (isLook) return { addend: 0, lease: null, unused: 0, wanted: 0 }
      const unused = Math.max(0, Math.floor(granted - spent))
      return { addend: Math.ceil(excess), lease: lease?.id ?? null, unused, wanted: Math.ceil(Math.max(held, inForce)) }
    },

    settle(draw, id, nowMs) {
      if (isLook) {
        if (draw.windowStart === window) others = draw.after - (lease?.granted ?? 0)
        resume()
        return []
      }
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
        const result = divideHits(draw.granted)
        for (const [holder, holding] of result.holdings) holdings.set(holder, holding)
        sent.push(...result.sent)
      }
      resume()
      return sent
    },

    fail() {
      if (isLook) {
        resume()
        return
      }
      // The lease may have been closed and another opened; neither is ever given back.
      others += lease?.granted ?? 0
      lease = null
      spent = 0
      resume()
    },

    state() {
      if (waiting !== null) return null
      return { window, safeEndMs, others, spent, excess, lease, holdings: [...holdings] }
    },

    get size() {
      return holdings.size
    },
  }
}

const freshState: PoolState = { window: 0, safeEndMs: 0, others: 0, spent: 0, excess: 0, lease: null, holdings: [] }
