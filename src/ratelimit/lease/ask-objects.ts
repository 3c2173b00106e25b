/** Asks the objects that count about hits which no lease of the holder covers, and for leases with them. */

import { unavailable } from '../errors.ts'
import { assertOneEach, type CounterHit, type Hits } from '../ports.ts'
import { looksRaised, memcacheRaise } from '../store-block.ts'
import { isHeldBack } from './draw.ts'
import { countLeft, countLeftOf, isAsked } from './held-leases.ts'
import type { LeaseHolder } from './holder.ts'
import { type Draw, readQuestion, type WireDraw, withWanted } from './lease.ts'
import type { Carrier } from './questions.ts'

/** Surroundings of one request. */
export interface LeaseCall extends Carrier {
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Waits for a call, but no longer than the request may. */
  readonly within: <T>(call: Promise<T>) => Promise<T>
}

interface Answered {
  readonly draw: Draw
  readonly hits: Hits
}

/**
 * Asks every object, within the deadline; answers that come later are taken for the next requests. Hits that do not
 * fit beside a lease which came to this holder meanwhile are asked about once more, and the lease goes back with the
 * question.
 *
 * @throws RatelimitError counter_unavailable when an object fails, is late, or answers fewer counters than asked.
 */
export async function drawAll(
  hits: readonly CounterHit[],
  holder: LeaseHolder,
  call: LeaseCall,
): Promise<readonly Hits[]> {
  const answers = await askObjects(hits, holder, call)
  const askedMs = call.now()
  const blocked = [...hits.keys()].filter((at) => isBlockedByOwn(hits[at], answers[at]?.draw, holder, askedMs))
  if (blocked.length === 0) return answers.map((answer) => answer.hits)
  const newer = await askAgain(hits, blocked, holder, call)
  return answers.map((answer, at) => (newer.get(at) ?? answer).hits)
}

/** Waits for the leases on their way, and asks once more about the blocked hits of which one came: answers by position. */
async function askAgain(
  hits: readonly CounterHit[],
  blocked: readonly number[],
  holder: LeaseHolder,
  call: LeaseCall,
): Promise<ReadonlyMap<number, Answered>> {
  const objects = new Set(pick(hits, blocked).map(({ key }) => holder.source.objectOf(key)))
  // A refusal is kept when no answer comes in time.
  await call.within(Promise.all([...objects].map((object) => holder.settle(object)))).catch(() => {})
  const nowMs = call.now()
  const again = blocked.filter((at) => holdsHits(hits[at], holder, nowMs))
  const answers = again.length === 0 ? [] : await askObjects(pick(hits, again), holder, call).catch(() => [])
  return new Map(again.flatMap((at, index) => (answers[index] === undefined ? [] : [[at, answers[index]]])))
}

/** Tells whether hits were refused because of a lease that is on its way to this holder, or has just come. */
function isBlockedByOwn(hit: CounterHit | undefined, draw: Draw | undefined, holder: LeaseHolder, nowMs: number) {
  if (hit === undefined || draw === undefined || hit.limit === undefined) return false
  if (!isHeldBack(draw.after, hit.limit, draw.outstanding)) return false
  return isAsked(holder.held, hit) || holdsHits(hit, holder, nowMs)
}

function holdsHits(hit: CounterHit | undefined, holder: LeaseHolder, nowMs: number): boolean {
  return hit !== undefined && countLeft(holder.held, hit, nowMs) > 0
}

/** Asks every object once. */
async function askObjects(
  hits: readonly CounterHit[],
  holder: LeaseHolder,
  { now, stats, within }: LeaseCall,
): Promise<readonly Answered[]> {
  const nowMs = now()
  const answers: Answered[] = new Array(hits.length)
  const byObject = new Map<string, { readonly positions: number[]; readonly draws: WireDraw[] }>()
  for (const [at, { key, unit, addend, limit = 0 }] of hits.entries()) {
    const object = holder.source.objectOf(key)
    const group = byObject.get(object) ?? { positions: [], draws: [] }
    byObject.set(object, group)
    group.positions.push(at)
    group.draws.push(holder.ask({ key, unit, addend, limit }, nowMs))
  }
  for (const { draws } of byObject.values()) wishLast(draws)
  const calls = [...byObject].map(async ([object, { positions, draws }]) => {
    const answered = assertOneEach(await holder.send(object, draws, stats), draws)
    const given = toAnswers(pick(hits, positions), answered, holder, now())
    for (const [index, answer] of given.entries()) answers[positions[index] ?? hits.length] = answer
  })
  try {
    await within(Promise.all(calls))
  } catch (error) {
    throw unavailable(error)
  }
  return answers
}

/** Moves the wish for a lease to the last question about a counter: beside a lease, further hits would not fit. */
function wishLast(draws: WireDraw[]): void {
  for (const [at, draw] of draws.entries()) {
    const [key, unit] = draw
    const { wanted } = readQuestion(draw)
    const last = draws.findLastIndex(([otherKey, otherUnit]) => otherKey === key && otherUnit === unit)
    const later = draws[last]
    if (wanted === 0 || last === at || later === undefined) continue
    draws[at] = withWanted(draw, 0)
    draws[last] = withWanted(later, Math.max(wanted, readQuestion(later).wanted))
  }
}

/** Answers hits of one object: for those that fit, what the holder has left of earlier leases is not used yet. */
function toAnswers(
  hits: readonly CounterHit[],
  draws: readonly Draw[],
  { held }: LeaseHolder,
  nowMs: number,
): readonly Answered[] {
  return draws.map((draw, at) => {
    const hit = hits[at]
    if (hit === undefined || draw.after > (hit.limit ?? 0)) return { draw, hits: toHits(draw, 0) }
    const granted = draws.reduce((sum, other, to) => sum + (isSameCounter(hits[to], hit) ? other.granted : 0), 0)
    const left = countLeftOf(held, hit, draw.windowStart, nowMs)
    return { draw, hits: toHits(draw, Math.max(0, left - granted)) }
  })
}

/** Converts a draw to hits. Leases may come back and a block may be lifted, so such a refusal is not cached. */
function toHits({ after, granted, outstanding, millisecondsUntilReset }: Draw, earlier: number): Hits {
  const secondsUntilReset = Math.max(1, Math.ceil(millisecondsUntilReset / 1000))
  const counted = { after: Math.max(0, after - granted - earlier), secondsUntilReset }
  const mayComeBack = outstanding > 0 || looksRaised(after, memcacheRaise)
  return mayComeBack ? { ...counted, isProvisional: true } : counted
}

/** Tells if two hits count on one counter. */
export function isSameCounter(one: CounterHit | undefined, { key, unit }: CounterHit): boolean {
  return one?.key === key && one.unit === unit
}

/** The hits at some positions. */
export function pick(hits: readonly CounterHit[], positions: readonly number[]): readonly CounterHit[] {
  return positions.flatMap((at) => hits[at] ?? [])
}
