/** Division of a window's hits: from proposals to the assignments of each holder. */

import {
  type Assignment,
  cutAssignments,
  extendAssignment,
  type Holding,
  isRefusedFor,
  refusalSeconds,
  refuseHits,
  replaceAssignment,
  sumLeft,
} from './holding.ts'
import type { Proposal, Terms } from './proposal.ts'
import { bucketFor, fillSeconds, passable, type TokenBucket } from './token-bucket.ts'

/** One assignment to send. */
export interface Sent {
  readonly holder: string
  /** Null refuses every hit. */
  readonly bucket: TokenBucket | null
  /** Whole seconds: a stock Envoy reads no part of one. */
  readonly seconds: number
}

/** Result of a division. */
export interface Division {
  /** The holdings that change. */
  readonly holdings: readonly (readonly [holder: string, holding: Holding])[]
  readonly sent: readonly Sent[]
  /** Hits of the window that all holders together may still let pass; may be a fraction. */
  readonly held: number
}

/**
 * Divides so many hits: first what may pass already, then what the proposals add, scaled down as far as it must be.
 *
 * Where a part would be less than one hit, those with the largest parts get one hit each while there are any.
 *
 * @param most - hits that all holders together may still let pass.
 */
export function divide(
  proposals: readonly Proposal[],
  holdings: ReadonlyMap<string, Holding>,
  most: number,
  terms: Terms,
): Division {
  const { held: heldBefore, wished } = weigh(proposals, holdings, terms)
  let held = heldBefore
  const scale = wished <= 0 ? 0 : Math.min(1, Math.max(0, most - held) / wished)
  const changed: (readonly [string, Holding])[] = []
  const sent: Sent[] = []
  const bySize = [...proposals].sort((one, other) => other.hits - one.hits)
  for (const { holder, kind, hits } of bySize) {
    const holding = holdings.get(holder)
    if (holding === undefined || kind === 'keep') continue
    const rest = most - held
    const change =
      kind === 'extend'
        ? extend(holding, rest, terms)
        : renew(holding, kind === 'refuse' ? 0 : computePart(hits, scale, rest, terms), terms)
    if (change === null) continue
    held += change.added
    changed.push([holder, change.holding])
    sent.push({ holder, bucket: change.bucket, seconds: change.seconds })
  }
  return { holdings: changed, sent, held }
}

/** Hits that may pass without anything new, and those that the proposals would add. */
function weigh(
  proposals: readonly Proposal[],
  holdings: ReadonlyMap<string, Holding>,
  terms: Terms,
): { readonly held: number; readonly wished: number } {
  const { nowMs, lagMs, window } = terms
  let held = 0
  let wished = 0
  for (const { holder, kind, hits } of proposals) {
    const holding = holdings.get(holder)
    if (holding === undefined) continue
    const isCut = kind === 'replace' || kind === 'refuse'
    held += sumLeft(isCut ? cutAssignments(holding, nowMs, lagMs) : holding, window)
    wished += kind === 'extend' ? addedBy(holding, terms) : hits
  }
  return { held, wished }
}

interface Change {
  readonly holding: Holding
  readonly bucket: TokenBucket | null
  readonly seconds: number
  readonly added: number
}

/** Scaled down, but one hit at the least while there is one. */
function computePart(hits: number, scale: number, rest: number, terms: Terms): number {
  const one = 1 + secondsOf(terms) / fillSeconds
  return Math.min(rest, Math.max(hits * scale, one))
}

function secondsOf({ nowMs, endsMs }: Terms): number {
  return (endsMs - nowMs) / 1000
}

/** Whole by construction of the terms. */
function lifeOf({ nowMs, endsMs, lagMs }: Terms): number {
  return Math.round((endsMs - nowMs - lagMs) / 1000)
}

function addedBy(holding: Holding, { endsMs, lagMs, window }: Terms): number {
  return sumLeft(extendAssignment(holding, endsMs, lagMs), window) - sumLeft(holding, window)
}

/** An extension that there are not enough hits for is left out: the assignment ends and is replaced. */
function extend(holding: Holding, rest: number, terms: Terms): Change | null {
  const added = addedBy(holding, terms)
  const bucket = holding.assignments.at(-1)?.bucket
  if (bucket === undefined || added > rest) return null
  return { holding: extendAssignment(holding, terms.endsMs, terms.lagMs), bucket, seconds: lifeOf(terms), added }
}

function renew(holding: Holding, hits: number, terms: Terms): Change | null {
  const { nowMs, endsMs, lagMs, window } = terms
  const seconds = secondsOf(terms)
  const bucket = seconds > 0 ? bucketFor(hits, seconds) : null
  if (bucket === null) {
    if (isRefusedFor(holding, nowMs)) return null
    const refusal = { fromMs: nowMs, untilMs: nowMs + refusalSeconds * 1000 }
    return { holding: refuseHits(holding, refusal, lagMs), bucket, seconds: refusalSeconds, added: 0 }
  }
  const left = passable(bucket, seconds)
  const next: Assignment = { bucket, startedMs: nowMs, endsMs, windowStart: window, left, owed: 0 }
  return { holding: replaceAssignment(holding, next, lagMs), bucket, seconds: lifeOf(terms), added: left }
}
