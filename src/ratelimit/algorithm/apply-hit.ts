/** Hits on counters that a store keeps: by the windows of the reference or by an algorithm, each for itself or all or nothing. */

import { addHits, peekHits, refundHits, type Window } from '../counter.ts'
import type { CounterName, CounterRow, HitContext } from '../durability/stored-window.ts'
import type { Hits, JointHit } from '../ports.ts'
import type { ReservationStep } from '../reservation/reservations.ts'
import type { Unit } from '../types.ts'
import { type Algorithm, capacityFor } from './algorithm.ts'
import { readAlgorithmKey } from './algorithm-key.ts'
import { countHit } from './count-hit.ts'

/** The counters of a store, by names that are unique among all keys and units. */
export interface CounterWindows {
  /** @param now - Unix time in whole seconds. */
  find(name: string, place: CounterName, now: number): Window | undefined
  /** Keeps what was counted by a hit. */
  keep(name: string, row: CounterRow, hit: HitContext): void
}

/** A hit on a counter of a store. */
export interface NamedHit extends CounterName {
  readonly name: string
  /** Hits to count; negative to give back, 0 to look. */
  readonly addend: number
  readonly limit: number | null
  readonly step?: ReservationStep | undefined
}

/** A counter after a hit, and the most that its limit admits. */
export interface AppliedHit extends Hits {
  readonly capacity: number
  /** Reservations of it that have ended unsettled since the hit before; absent for none. */
  readonly ended?: number
}

/** Applies one hit. Looking makes no counter. */
export function applyHit(windows: CounterWindows, hit: NamedHit, nowMs: number): AppliedHit {
  const counter = readAlgorithmKey(hit.key)
  return counter === null
    ? applyInWindow(windows, hit, nowMs)
    : applyByAlgorithm(windows, counter.algorithm, hit, nowMs)
}

function applyByAlgorithm(windows: CounterWindows, algorithm: Algorithm, hit: NamedHit, nowMs: number): AppliedHit {
  const { name, key, unit, addend, step } = hit
  const limit = hit.limit ?? 0
  const window = windows.find(name, hit, Math.floor(nowMs / 1000))
  const counted = countHit(algorithm, window, { addend, limit, nowMs, step })
  const { window: next, after, secondsUntilReset, scale, fault, ended } = counted
  const most = addend > 0 && step?.action !== 'settle' ? counted.most : null
  if (next !== null) windows.keep(name, { key, unit, window: next }, { limit: most, nowMs, scale })
  const applied = { after, secondsUntilReset, capacity: capacityFor(algorithm, limit) }
  if (fault === undefined && ended === undefined) return applied
  return { ...applied, ...(fault !== undefined && { fault }), ...(ended !== undefined && { ended }) }
}

function applyInWindow(windows: CounterWindows, hit: NamedHit, nowMs: number): AppliedHit {
  const { name, key, unit, addend, limit } = hit
  const now = Math.floor(nowMs / 1000)
  const window = windows.find(name, hit, now)
  const counted = countInWindow(window, unit, addend, now)
  if (counted !== null) {
    windows.keep(name, { key, unit, window: counted.window }, { limit: addend > 0 ? limit : null, nowMs })
  }
  const { after, secondsUntilReset } = counted?.hits ?? peekHits(window, unit, now)
  return { after, secondsUntilReset, capacity: limit ?? Number.POSITIVE_INFINITY }
}

/** Counts or gives back hits; null where nothing changes. */
function countInWindow(window: Window | undefined, unit: Unit, addend: number, now: number) {
  if (addend === 0) return null
  return addend > 0 ? addHits(window, unit, addend, now) : refundHits(window, unit, -addend, now)
}

/** Applies a hit on windows that are a store's, or a draft of them. */
type Apply<Hit> = (windows: CounterWindows, hit: Hit) => AppliedHit

/** Applies the hits of one call in their order, joint ones together; gives one counter for each. */
export function applyAll<Hit extends Joinable>(
  hits: readonly Hit[],
  windows: CounterWindows,
  apply: Apply<Hit>,
): readonly AppliedHit[] {
  const applied: AppliedHit[] = []
  for (let at = 0; at < hits.length; at++) {
    const hit = hits[at]
    if (hit === undefined) continue
    if (hit.joint === undefined) applied.push(apply(windows, hit))
    else {
      const { rest } = hit.joint
      applied.push(...applyJointly(hits.slice(at, at + 1 + rest), windows, apply))
      at += rest
    }
  }
  return applied
}

interface Joinable {
  readonly addend: number
  readonly joint?: JointHit | undefined
}

/**
 * Applies the hits of one request of which some count only where no other refuses the request: they are counted on a
 * draft, which is kept or given up. Those that are given up are answered as they are without the hit.
 */
function applyJointly<Hit extends Joinable>(
  hits: readonly Hit[],
  windows: CounterWindows,
  apply: Apply<Hit>,
): readonly AppliedHit[] {
  const draft = draftOf(windows)
  const drafted = hits.map((hit) => apply(draft, hit))
  const isOver = drafted.map(({ after, capacity }) => after > capacity)
  if (!hits.some(({ joint }, at) => joint?.mayRefuse === true && isOver[at])) {
    draft.keepAll()
    return drafted
  }
  return drafted.map((one, at) => {
    const hit = hits[at]
    if (hit === undefined) return one
    if (hit.joint?.isTogether !== true) return apply(windows, hit)
    const { ended: _, ...refused } = one
    return isOver[at] === true ? refused : { ...refused, after: Math.max(0, refused.after - hit.addend) }
  })
}

/** Windows in front of those of a store, which change once all of them are kept. */
function draftOf(windows: CounterWindows): CounterWindows & { keepAll(): void } {
  const kept = new Map<string, { readonly row: CounterRow; readonly hit: HitContext }>()
  return {
    find: (name, place, now) => kept.get(name)?.row.window ?? windows.find(name, place, now),
    keep: (name, row, hit) => void kept.set(name, { row, hit }),
    keepAll() {
      for (const [name, { row, hit }] of kept) windows.keep(name, row, hit)
    },
  }
}
