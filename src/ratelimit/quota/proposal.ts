/** Proposals for the holders of a pool, before the hits to divide are known. */

import { fairShares } from './fair-share.ts'
import { type Assignment, cutAssignments, type Holding, isRefusedFor, sumLeft } from './holding.ts'
import { bucketFor, rateOf } from './token-bucket.ts'

/** Proposal for one holder. */
export interface Proposal {
  readonly holder: string
  /** `keep` sends nothing, `extend` the same bucket for longer, `replace` a new one, `refuse` a refusal of every hit. */
  readonly kind: 'keep' | 'extend' | 'replace' | 'refuse'
  /** Hits of a replacement until its end; may be a fraction. */
  readonly hits: number
}

/** The span that assignments are made for, in Unix milliseconds. */
export interface Terms {
  /** Start of the window that they are charged to, Unix time in seconds. */
  readonly window: number
  readonly nowMs: number
  readonly endsMs: number
  readonly lagMs: number
}

/** The terms of new assignments, and what is left of their window. */
interface Outlook extends Terms {
  /** Seconds that an assignment lasts at most; one in force is extended at half of it. */
  readonly lifeSeconds: number
  /** Seconds until the window's last assignments end; 1 at the least. */
  readonly restSeconds: number
}

/** A holder and its fair share. */
interface Desired {
  readonly holder: string
  readonly holding: Holding
  /** Hits of its share until the end of the terms; may be a fraction. */
  readonly hits: number
  /** The part of `hits` that its demand asks for. */
  readonly neededHits: number
}

/** Factor on a holder's demand, so that a growing demand shows. */
const headroom = 1.1
/** Seconds; an assignment that would end sooner is not made. */
const leastLifeSeconds = 2
/** Part of its rate by which an assignment must change to be replaced. */
const leastChange = 0.1
/** The same for an assignment that grows in a shortage. */
const leastGrowthInShortage = 0.02
/** In a shortage, the assignments in force give less than this part of what is needed. */
const enough = 0.97
/** Factor on the hits that a replacement costs: it must change more than that. */
const paybackFactor = 2

/** Proposes for every holder of a pool; `budget` is what all assignments together may still let pass. */
export function propose(
  members: readonly (readonly [holder: string, holding: Holding])[],
  budget: number,
  outlook: Outlook,
): readonly Proposal[] {
  const { nowMs, endsMs, lagMs, restSeconds } = outlook
  const seconds = (endsMs - nowMs) / 1000
  const demandOf = ({ demand }: Holding) => Math.max(1 / restSeconds, demand * headroom)
  const demands = members.map(([, holding]) => demandOf(holding))
  const unreported = members.reduce((sum, [, holding]) => sum + likelyUsed(holding, outlook), 0)
  const shares = fairShares(demands, Math.max(0, budget - unreported) / restSeconds)
  const isTooShort = endsMs - nowMs < leastLifeSeconds * 1000 + lagMs
  const desired = members.map(([holder, holding], at) => {
    const hits = isTooShort ? 0 : (shares[at] ?? 0) * seconds
    return { holder, holding, hits, neededHits: Math.min(hits, demandOf(holding) * seconds) }
  })
  const isShort = isShortage(desired, outlook)
  return desired.map((one) => proposalFor(one, isShort, outlook))
}

/** Hits that have probably passed since the last report; for the pace only, never for the bound. */
function likelyUsed({ assignments, demand, lastReportMs }: Holding, { nowMs, window }: Outlook): number {
  const inForce = assignments.at(-1)
  if (inForce?.windowStart !== window) return 0
  const from = Math.max(lastReportMs, inForce.startedMs)
  const seconds = Math.max(0, Math.min(nowMs, inForce.endsMs) - from) / 1000
  return Math.min(inForce.left, Math.min(demand, rateOf(inForce.bucket)) * seconds)
}

/** Finds the assignment that lasts long enough for another one to replace it in time. */
function assignmentInForce({ assignments }: Holding, { window, nowMs, lagMs }: Outlook): Assignment | undefined {
  const last = assignments.at(-1)
  return last?.windowStart === window && last.endsMs > nowMs + 2 * lagMs ? last : undefined
}

/**
 * Tells whether the assignments in force give less than `enough` of what is needed; each may miss too little to be
 * replaced while their sum misses much.
 */
function isShortage(desired: readonly Desired[], outlook: Outlook): boolean {
  let neededRate = 0
  let givenRate = 0
  for (const { holding, neededHits } of desired) {
    const rate = rateFor(neededHits, outlook)
    const inForce = assignmentInForce(holding, outlook)
    neededRate += rate
    if (inForce !== undefined) givenRate += Math.min(rate, rateOf(inForce.bucket))
  }
  return givenRate < enough * neededRate
}

function rateFor(hits: number, { nowMs, endsMs }: Outlook): number {
  const bucket = bucketFor(hits, (endsMs - nowMs) / 1000)
  return bucket === null ? 0 : rateOf(bucket)
}

function proposalFor({ holder, holding, hits }: Desired, isShort: boolean, outlook: Outlook): Proposal {
  const { nowMs, endsMs, lifeSeconds } = outlook
  const inForce = assignmentInForce(holding, outlook)
  if (holding.isDetached) return { holder, kind: 'keep', hits: 0 }
  if (inForce === undefined) {
    if (hits > 0) return { holder, kind: 'replace', hits }
    return { holder, kind: isRefusedFor(holding, nowMs) ? 'keep' : 'refuse', hits: 0 }
  }
  const nextRate = rateFor(hits, outlook)
  if (hits > 0 && isWorthReplacing(holding, inForce, nextRate, { isShort, outlook })) {
    return { holder, kind: 'replace', hits }
  }
  const isHalfOver = inForce.endsMs - nowMs < (lifeSeconds * 1000) / 2 && endsMs > inForce.endsMs + 1_000
  return { holder, kind: isHalfOver && nextRate > 0 ? 'extend' : 'keep', hits: 0 }
}

/** Weighs what another rate brings against its cost: a new bucket starts full, and the old one stays charged. */
function isWorthReplacing(
  holding: Holding,
  { bucket, startedMs }: Assignment,
  nextRate: number,
  { isShort, outlook }: { readonly isShort: boolean; readonly outlook: Outlook },
): boolean {
  const { nowMs, endsMs, lagMs, restSeconds, window } = outlook
  const currentRate = rateOf(bucket)
  const change = Math.abs(nextRate - currentRate)
  const isGrowth = nextRate > currentRate
  const isWanted = isShort && isGrowth
  // Demand is an estimate: a small change may be chance.
  if (change <= currentRate * (isWanted ? leastGrowthInShortage : leastChange)) return false
  // The new bucket starts full: a burst of about what the present one holds.
  if (change * ((endsMs - nowMs) / 1000) < paybackFactor * bucket.maxTokens) return false
  // Until the next report a bucket that was replaced is charged as if it had been used to the end.
  const charged = sumLeft(cutAssignments(holding, nowMs, lagMs), window)
  if (change * restSeconds < paybackFactor * charged) return false
  // The rate in force has room for the demand.
  if (isGrowth && currentRate >= holding.demand * headroom) return false
  // One new bucket is enough until a report tells what became of it, but for a shortage.
  return isWanted || holding.lastReportMs >= startedMs
}
