/** The Envoys that share one counter: their reports, what each is to get, and what that takes from the counter. */

import type { Draw } from '../lease/lease.ts'
import type { Unit } from '../types.ts'
import { unitSeconds, windowStart } from '../window.ts'
import { type Division, divide, type Sent } from './division.ts'
import { createHolders } from './holders.ts'
import type { Holding } from './holding.ts'
import { type Proposal, propose } from './proposal.ts'
import type { Usage } from './report.ts'

/** Draw from one counter: hits to count, unused hits to give back, and hits to hold as the next lease. */
export interface PoolDraw {
  readonly addend: number
  /** Names the lease that is given back; null when none is open. */
  readonly lease: number | null
  readonly unused: number
  readonly wanted: number
}

/** Hits of the window that a pool draws from, and where they are. */
interface Account {
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
}

/** A pool between two draws. */
export interface PoolState extends Account {
  readonly holdings: readonly (readonly [holder: string, holding: Holding])[]
}

interface PoolOptions {
  /** Hits that a window admits, 0 to 2^32 - 1. */
  readonly limit: number
  readonly unit: Unit
  /** Seconds that an assignment lasts at most. */
  readonly lifeSeconds: number
}

/** The Envoys of one counter. */
export type Pool = ReturnType<typeof createPool>

/** Milliseconds without a draw after which the pool asks for the use of others. */
const lookMs = 4_000
/** Unused part of a lease that is worth a call to give back. */
const worthReturning = 0.05

const noState: PoolState = { window: 0, safeEndMs: 0, others: 0, spent: 0, excess: 0, lease: null, holdings: [] }

/** Longest time that a message takes between the object and an Envoy: 2 % of the window, a second at most. */
export function computeLag(unit: Unit): number {
  return Math.min(1_000, unitSeconds[unit] * 20)
}

/**
 * Makes the pool of one counter; holders of an earlier pool are detached until they report. Times are Unix milliseconds
 * of the caller's clock.
 */
export function createPool({ limit, unit, lifeSeconds }: PoolOptions, before?: PoolState) {
  const lagMs = computeLag(unit)
  /** Clocks may differ by 1 % of the window, and by five seconds at most. */
  const marginMs = Math.min(5_000, unitSeconds[unit] * 10)
  const { holdings: known, ...account } = before ?? noState
  const holders = createHolders(known, limit, lagMs)
  let { window, safeEndMs, others, lease, spent, excess } = account
  /** Reports and departures that came while a draw was on its way. */
  let waiting: (() => void)[] | null = null
  let proposals: readonly Proposal[] = []
  let planned = { nowMs: 0, endsMs: 0 }
  let drawnMs = 0
  /** True while the draw on its way only asks what others have used. */
  let isLook = false

  const inTurn = (step: () => void) => (waiting === null ? step() : void waiting.push(step))

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
    return propose([...holders.holdings], budget, { ...planned, window, lagMs, lifeSeconds, restSeconds })
  }

  function divideHits(most: number): Division {
    return divide(proposals, holders.holdings, most, { ...planned, window, lagMs })
  }

  /** Enters the answer to a draw into the account, which forgets the lease that the draw gave back. */
  function enterDraw(draw: Draw, id: number): void {
    excess = 0
    lease = null
    if (draw.windowStart < window) return
    window = draw.windowStart
    spent = 0
    others = draw.after - draw.granted
    if (draw.granted > 0) lease = { id, granted: draw.granted }
    safeEndMs = planned.nowMs + draw.millisecondsUntilReset - marginMs
  }

  function resume(): void {
    const steps = waiting ?? []
    waiting = null
    for (const step of steps) step()
  }

  return {
    /** Applies a report; an unknown holder is taken up. Numbers beyond the limit and a hit are cut there. */
    report: (holder: string, usage: Usage, nowMs: number): void =>
      inTurn(() => {
        const reported = holders.report(holder, usage, { nowMs, lagMs, windowStart: window })
        spent += reported.spent
        excess += reported.excess
      }),
    /** Lets a holder go: what it had left counts as used. */
    leave: (holder: string): void =>
      inTurn(() => {
        spent += holders.drop(holder, window)
      }),
    /** Notes that a holder's stream has ended: its hits stay held until it reports again, or is silent for too long. */
    detach: (holder: string): void => inTurn(() => holders.detach(holder)),
    silent: holders.silent,
    fits: holders.fits,

    /** Finds what to draw, for `settle` or `fail` to follow; null when there is nothing to send or to say. */
    plan(nowMs: number): PoolDraw | null {
      turnWindow(nowMs)
      const budget = Math.max(0, limit - others - spent - excess)
      proposals = proposeAll(nowMs, budget)
      const { held, sent } = divideHits(budget)
      const granted = lease?.granted ?? 0
      const isWorthReturning = granted - spent - held > worthReturning * limit
      isLook = sent.length === 0 && excess < 1 && !isWorthReturning
      if (isLook && (lease === null || nowMs - drawnMs < lookMs)) return null
      waiting = []
      drawnMs = nowMs
      if (isLook) return { addend: 0, lease: null, unused: 0, wanted: 0 }
      const unused = Math.max(0, Math.floor(granted - spent))
      // Should the answer be lost, what is in force goes on as it is.
      const wanted = Math.ceil(Math.max(held, holders.sumLeft(window)))
      return { addend: Math.ceil(excess), lease: lease?.id ?? null, unused, wanted }
    },

    /** Takes the answer to a draw, which opened the lease `id`; returns what to send to each holder. */
    settle(draw: Draw, id: number, nowMs: number): readonly Sent[] {
      if (isLook) {
        if (draw.windowStart === window) others = draw.after - (lease?.granted ?? 0)
        resume()
        return []
      }
      // An answer that took long leaves too little of the lag for the way to the Envoys.
      const isPresent = draw.windowStart === window && nowMs - planned.nowMs <= lagMs / 2
      enterDraw(draw, id)
      // Where the counter's clock shows another window, or an earlier end, than was planned for, the next plan knows.
      const isAsPlanned = isPresent && planned.endsMs <= safeEndMs + marginMs / 2
      const { holdings, sent } = isAsPlanned ? divideHits(draw.granted) : nothingDivided
      for (const [holder, holding] of holdings) holders.holdings.set(holder, holding)
      resume()
      return sent
    },

    /** Says that the answer is lost: what is out stays charged to the window, and nothing new is handed out. */
    fail(): void {
      if (!isLook) {
        // The lease may have been closed and another opened; neither is ever given back.
        others += lease?.granted ?? 0
        lease = null
        spent = 0
      }
      resume()
    },

    /** Returns the state for a pool after a restart; null while a draw is on its way. */
    state(): PoolState | null {
      if (waiting !== null) return null
      return { window, safeEndMs, others, spent, excess, lease, holdings: [...holders.holdings] }
    },

    get size() {
      return holders.holdings.size
    },
  }
}

const nothingDivided: Pick<Division, 'holdings' | 'sent'> = { holdings: [], sent: [] }
