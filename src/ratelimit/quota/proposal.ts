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

/** The span that is planned for: that of the terms, and what follows it. */
interface Outlook extends Terms {
  /** Seconds that an assignment lasts at most; what is in force is extended at half of it. */
  readonly lifeSeconds: number
  /** Seconds until the window's last assignments end; 1 at the least. */
  readonly restSeconds: number
}

interface Desired {
  readonly holder: string
  readonly holding: Holding
  /** Hits until the end of the terms; may be a fraction. */
  readonly hits: number
  /** The part of them that its demand asks for. */
  readonly needed: number
}

/** Part of its demand that a holder gets beyond it, so that a demand that grows shows. */
const headroom = 1.1
/** An assignment that would last less than so many seconds is not made. */
const leastLifeSeconds = 2
/** Parts of its rate by which an assignment must change to be replaced, and by which it must grow under a shortage. */
const [slight, slightInShortage] = [0.1, 0.02]
/** A shortage: of what is asked for and could be had, the assignments in force give less than this part. */
const enough = 0.97

/** Proposes for every holder of a pool, within a budget of hits that all together may still let pass. */
export function propose(
  members: readonly (readonly [holder: string, holding: Holding])[],
  budget: number,
  outlook: Outlook,
): readonly Proposal[] {
  const { nowMs, endsMs, lagMs, restSeconds } = outlook
  const seconds = (endsMs - nowMs) / 1000
  const demands = members.map(([, { demand }]) => Math.max(1 / restSeconds, demand * headroom))
  const unreported = members.reduce((sum, [, holding]) => sum + likelyUsed(holding, outlook), 0)
  const shares = fairShares(demands, Math.max(0, budget - unreported) / restSeconds)
  const isTooShort = endsMs - nowMs < leastLifeSeconds * 1000 + lagMs
  const desired = members.map(([holder, holding], at) => {
    const [share, demand] = [shares[at] ?? 0, demands[at] ?? 0]
    const hits = isTooShort ? 0 : share * seconds
    return { holder, holding, hits, needed: Math.min(hits, demand * seconds) }
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

/** The assignment that lasts long enough for another one to replace it in time. */
function assignmentInForce({ assignments }: Holding, { window, nowMs, lagMs }: Outlook): Assignment | undefined {
  const last = assignments.at(-1)
  return last?.windowStart === window && last.endsMs > nowMs + 2 * lagMs ? last : undefined
}

/** Each assignment may be a little too small to be replaced, and all of them together much. */
function isShortage(desired: readonly Desired[], outlook: Outlook): boolean {
  let [needed, had] = [0, 0]
  for (const { holding, needed: hits } of desired) {
    const need = rateFor(hits, outlook)
    const inForce = assignmentInForce(holding, outlook)
    needed += need
    if (inForce !== undefined) had += Math.min(need, rateOf(inForce.bucket))
  }
  return had < enough * needed
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
  const next = rateFor(hits, outlook)
  if (hits > 0 && isWorthReplacing(holding, inForce, next, { isShort, outlook })) {
    return { holder, kind: 'replace', hits }
  }
  const isHalfOver = inForce.endsMs - nowMs < (lifeSeconds * 1000) / 2 && endsMs > inForce.endsMs + 1_000
  return { holder, kind: isHalfOver && next > 0 ? 'extend' : 'keep', hits: 0 }
}

/** Weighs what another rate brings against what it costs: a new bucket starts full, and the old one stays charged. */
function isWorthReplacing(
  holding: Holding,
  { bucket, startedMs }: Assignment,
  next: number,
  { isShort, outlook }: { readonly isShort: boolean; readonly outlook: Outlook },
): boolean {
  const { nowMs, endsMs, lagMs, restSeconds, window } = outlook
  const rate = rateOf(bucket)
  const [change, isGrowth] = [Math.abs(next - rate), next > rate]
  const isWanted = isShort && isGrowth
  if (change <= rate * (isWanted ? slightInShortage : slight)) return false
  if (change * ((endsMs - nowMs) / 1000) < 2 * bucket.maxTokens) return false
  // Until the next report a bucket that was replaced is charged as if it had been used to the end.
  const charged = sumLeft(cutAssignments(holding, nowMs, lagMs), window)
  if (change * restSeconds < 2 * charged) return false
  if (isGrowth && rate >= holding.demand * headroom) return false
  // One new bucket is enough until a report tells what became of it, but for a shortage.
  return isWanted || holding.lastReportMs >= startedMs
}
