/** The Envoys that share one counter: their reports, what each is to get, and what that takes from the counter. */

import type { Draw } from '../lease/lease.ts'
import type { Unit } from '../types.ts'
import { unitSeconds } from '../window.ts'
import {
  type Account,
  chargeReport,
  clockMargin,
  emptyAccount,
  enterDraw,
  enterLook,
  loseDraw,
  remainingHits,
  turnWindow,
} from './account.ts'
import { type Division, divide, type Sent } from './division.ts'
import { createHolders } from './holders.ts'
import type { Holding } from './holding.ts'
import { type Proposal, propose, type Terms } from './proposal.ts'
import type { Usage } from './report.ts'

/** Draw from one counter: hits to count, unused hits to give back, and hits to hold as the next lease. */
export interface PoolDraw {
  readonly addend: number
  /** Names the lease that is given back; null when none is open. */
  readonly lease: number | null
  readonly unused: number
  readonly wanted: number
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

const noState: PoolState = { ...emptyAccount, holdings: [] }

/** A draw that only asks what others have used. */
const look: PoolDraw = { addend: 0, lease: null, unused: 0, wanted: 0 }

/** Assignments to make with the hits that a draw brings. */
interface Plan {
  readonly terms: Terms
  readonly proposals: readonly Proposal[]
}

/** Longest time that a message takes between the object and an Envoy: 2 % of the window, a second at most. */
export function computeLag(unit: Unit): number {
  return Math.min(1_000, unitSeconds[unit] * 20)
}

/**
 * Makes the pool of one counter; holders of an earlier pool are detached until they report. Times are Unix milliseconds
 * of the caller's clock.
 */
export function createPool({ limit, unit, lifeSeconds }: PoolOptions, before: PoolState = noState) {
  const lagMs = computeLag(unit)
  const { holdings: known, ...kept } = before
  const holders = createHolders(known, limit, lagMs)
  let account: Account = kept
  /** The draw on its way: a look, or one for assignments; null for none. */
  let drawing: Plan | 'look' | null = null
  let drawnMs = 0
  /** Reports and departures that came while a draw was on its way. */
  const waiting: (() => void)[] = []

  const inTurn = (step: () => void) => (drawing === null ? step() : void waiting.push(step))

  function endDrawing(): void {
    drawing = null
    for (const step of waiting.splice(0)) step()
  }

  /** Plans assignments that last as long as they may in this window. */
  function planAll(nowMs: number, budget: number): Plan {
    const { window, safeEndMs } = account
    const restMs = safeEndMs - nowMs - lagMs
    const wholeSeconds = Math.min(lifeSeconds, Math.max(0, Math.floor(restMs / 1000)))
    const terms = { window, nowMs, endsMs: nowMs + wholeSeconds * 1000 + lagMs, lagMs }
    const outlook = { ...terms, lifeSeconds, restSeconds: Math.max(1, restMs / 1000) }
    return { terms, proposals: propose([...holders.holdings], budget, outlook) }
  }

  return {
    /** Applies a report; an unknown holder is taken up. Numbers beyond the limit and a hit are cut there. */
    report: (holder: string, usage: Usage, nowMs: number): void =>
      inTurn(() => {
        account = chargeReport(account, holders.report(holder, usage, { nowMs, lagMs, windowStart: account.window }))
      }),
    /** Lets a holder go: what it had left counts as used. */
    leave: (holder: string): void =>
      inTurn(() => {
        account = chargeReport(account, { spent: holders.drop(holder, account.window), excess: 0 })
      }),
    /** Notes that a holder's stream has ended: its hits stay held until it reports again, or is silent for too long. */
    detach: (holder: string): void => inTurn(() => holders.detach(holder)),
    silent: holders.silent,
    fits: holders.fits,

    /** Finds what to draw, for `settle` or `fail` to follow; null when there is nothing to send or to say. */
    plan(nowMs: number): PoolDraw | null {
      account = turnWindow(account, unit, nowMs)
      const { excess, spent, lease } = account
      const budget = remainingHits(account, limit)
      const plan = planAll(nowMs, budget)
      const { held, sent } = divide(plan.proposals, holders.holdings, budget, plan.terms)
      const granted = lease?.granted ?? 0
      const isWorthReturning = granted - spent - held > worthReturning * limit
      const isLook = sent.length === 0 && excess < 1 && !isWorthReturning
      if (isLook && (lease === null || nowMs - drawnMs < lookMs)) return null
      drawing = isLook ? 'look' : plan
      drawnMs = nowMs
      if (isLook) return look
      // Should the answer be lost, what is in force goes on as it is.
      const wanted = Math.ceil(Math.max(held, holders.sumLeft(account.window)))
      const unused = Math.max(0, Math.floor(granted - spent))
      return { addend: Math.ceil(excess), lease: lease?.id ?? null, unused, wanted }
    },

    /** Takes the answer to a draw, which opened the lease `id`; returns what to send to each holder. */
    settle(draw: Draw, id: number, nowMs: number): readonly Sent[] {
      if (drawing === null || drawing === 'look') {
        account = enterLook(account, draw)
        endDrawing()
        return []
      }
      const { terms, proposals } = drawing
      // An answer that took long leaves too little of the lag for the way to the Envoys.
      const isPresent = draw.windowStart === account.window && nowMs - terms.nowMs <= lagMs / 2
      account = enterDraw(account, draw, { id, askedMs: terms.nowMs, unit })
      // Where the counter's clock shows another window, or an earlier end, than was planned for, the next plan knows.
      const isAsPlanned = isPresent && terms.endsMs <= account.safeEndMs + clockMargin(unit) / 2
      const division = isAsPlanned ? divide(proposals, holders.holdings, draw.granted, terms) : nothingDivided
      for (const [holder, holding] of division.holdings) holders.holdings.set(holder, holding)
      endDrawing()
      return division.sent
    },

    /** Notes that the answer is lost: what is out stays charged to the window, and nothing new is handed out. */
    fail(): void {
      if (drawing !== 'look') account = loseDraw(account)
      endDrawing()
    },

    /** Returns the state for a pool after a restart; null while a draw is on its way. */
    state: (): PoolState | null => (drawing === null ? { ...account, holdings: [...holders.holdings] } : null),

    get size() {
      return holders.holdings.size
    },
  }
}

const nothingDivided: Pick<Division, 'holdings' | 'sent'> = { holdings: [], sent: [] }
