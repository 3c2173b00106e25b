/** CounterStore that admits hits from the leases of a holder, and asks the counters for the others. */

import { RatelimitError, unavailable } from '../errors.ts'
import type { CounterHit, CounterStore, Hits } from '../ports.ts'
import { leaseStats } from '../statistics/names.ts'
import { looksRaised, memcacheRaise } from '../store-block.ts'
import { isHeldBack } from './draw.ts'
import { countLeft, countLeftOf, isAsked, type LeasedHit } from './held-leases.ts'
import type { Carrier, LeaseHolder } from './holder.ts'
import type { Draw, WireDraw } from './lease.ts'

interface LeaseCall extends Carrier {
  /** Unix time in milliseconds. */
  readonly now: () => number
  /** Waits for a call, but no longer than the request may. */
  readonly within: <T>(call: Promise<T>) => Promise<T>
}

/**
 * Makes the store of one request.
 *
 * A hit that a lease covers is answered at once. A refusal always comes from the counter. What is left of the limit, as
 * a lease tells it, is what the counter last said was left beside all leases, and what is left of the lease. A look adds
 * what is left of this holder's lease in the same way.
 *
 * @param store - counts the hits that are not leased, and reads counters.
 * @throws RatelimitError counter_unavailable when an object fails, or answers fewer counters than asked.
 */
export function leaseStore(store: CounterStore, holder: LeaseHolder, call: LeaseCall): CounterStore {
  return {
    hit: (hits) => hitAll(hits, store, holder, call),
    isOneCall: (hits) => store.isOneCall?.(hits) === true && !hits.some(({ isLeased }) => isLeased),
    peek: async (hits) => {
      const nowMs = call.now()
      // As of the question: what is used or granted meanwhile comes after it.
      const own = hits.map((hit) => countLeft(holder.held, hit, nowMs))
      const counters = await store.peek(hits)
      return counters.map((counter, at) => ({ ...counter, after: Math.max(0, counter.after - (own[at] ?? 0)) }))
    },
  }
}

function hitAll(
  hits: readonly CounterHit[],
  store: CounterStore,
  holder: LeaseHolder,
  call: LeaseCall,
): Promise<readonly Hits[]> {
  const answers: Hits[] = new Array(hits.length)
  const [plain, asked]: [number[], number[]] = [[], []]
  const nowMs = call.now()
  let admitted = 0
  for (const [at, hit] of hits.entries()) {
    const leased = toLeased(hit, holder)
    if (leased === null) {
      plain.push(at)
      continue
    }
    // Hits on one counter keep their order: behind one that asks, the others ask too.
    const answer = asked.some((before) => isSameCounter(hits[before], hit)) ? null : holder.admit(leased, nowMs)
    if (answer === null) {
      asked.push(at)
      continue
    }
    answers[at] = answer
    admitted += hit.addend
    if (answer.askWithinMs !== null) holder.askWithin(leased, answer.askWithinMs, call)
  }
  if (admitted > 0) call.stats.record([{ name: leaseStats.admitted, delta: admitted }])
  if (plain.length < hits.length) holder.scheduleReturns(call)
  if (plain.length + asked.length === 0) return Promise.resolve(answers)
  if (plain.length === hits.length) return store.hit(hits)
  return hitRest(hits, answers, { plain, asked }, { store, holder, call })
}

interface Rest {
  readonly plain: readonly number[]
  readonly asked: readonly number[]
}

interface Means {
  readonly store: CounterStore
  readonly holder: LeaseHolder
  readonly call: LeaseCall
}

/** Counts what no lease covers: positions of plain hits, and of hits that a lease is asked for with. */
async function hitRest(
  hits: readonly CounterHit[],
  answers: Hits[],
  { plain, asked }: Rest,
  { store, holder, call }: Means,
): Promise<readonly Hits[]> {
  const leased = pick(hits, asked)
  const drawing = drawAll(leased, holder, call)
  const judged = drawing.then((answered) => withWaits(leased, answered, store))
  const drawn = holder.source.fallsBack ? judged.catch(() => store.hit(leased)) : judged
  const counted = plain.length === 0 ? [] : store.hit(pick(hits, plain))
  // Both are awaited, also after one failed: a call left behind might never be counted.
  const [draws, others] = await Promise.allSettled([drawn, counted])
  if (draws.status === 'rejected') throw draws.reason
  if (others.status === 'rejected') throw others.reason
  for (const [index, at] of asked.entries()) answers[at] = draws.value[index] ?? nothing
  for (const [index, at] of plain.entries()) answers[at] = others.value[index] ?? nothing
  if (draws.value.length < asked.length || others.value.length < plain.length) throw tooFew()
  return answers
}

/** Asks once more about what may be blocked: an answer to a draw tells when its window ends, not when a block does. */
async function withWaits(
  hits: readonly CounterHit[],
  answered: readonly Hits[],
  store: CounterStore,
): Promise<readonly Hits[]> {
  const raised = [...answered.keys()].filter((at) => looksRaised(answered[at]?.after ?? 0, memcacheRaise))
  if (raised.length === 0) return answered
  const read = await store.peek(pick(hits, raised)).catch(() => [])
  return answered.map((one, at) => {
    const { secondsUntilReset } = read[raised.indexOf(at)] ?? one
    return { ...one, secondsUntilReset }
  })
}

/** Takes the place of a missing answer, until the request is refused for it. */
const nothing: Hits = { after: Number.MAX_SAFE_INTEGER, secondsUntilReset: 1 }

function tooFew(): RatelimitError {
  return new RatelimitError('counter_unavailable', 'Cannot count: the store answered fewer counters than asked')
}

interface Answered {
  readonly draw: Draw
  readonly hits: Hits
}

/**
 * Asks every object, within the deadline; answers that come later are taken for the next requests. Hits that do not
 * fit beside a lease which came to this holder meanwhile are asked about once more, and the lease goes back with the
 * question.
 */
async function drawAll(hits: readonly CounterHit[], holder: LeaseHolder, call: LeaseCall): Promise<readonly Hits[]> {
  const answers = [...(await askObjects(hits, holder, call))]
  const askedMs = call.now()
  const blocked = [...hits.keys()].filter((at) => isBlockedByOwn(hits[at], answers[at]?.draw, holder, askedMs))
  if (blocked.length > 0) {
    const objects = new Set(pick(hits, blocked).map(({ key }) => holder.source.objectOf(key)))
    // A refusal is kept when no answer comes in time.
    await call.within(Promise.all([...objects].map((object) => holder.settle(object)))).catch(() => {})
    const settledMs = call.now()
    const again = blocked.filter((at) => holdsHits(hits[at], holder, settledMs))
    const settled = again.length === 0 ? [] : await askObjects(pick(hits, again), holder, call).catch(() => [])
    for (const [index, answer] of settled.entries()) answers[again[index] ?? hits.length] = answer
  }
  return answers.map((answer) => answer.hits)
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
    const answered = await holder.send(object, draws, stats)
    if (answered.length < draws.length) throw tooFew()
    const told = toAnswers(pick(hits, positions), answered, holder, now())
    for (const [index, answer] of told.entries()) answers[positions[index] ?? hits.length] = answer
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
  for (const [at, [key, unit, addend, limit, wanted, all, returned]] of draws.entries()) {
    const last = draws.findLastIndex(([otherKey, otherUnit]) => otherKey === key && otherUnit === unit)
    const later = draws[last]
    if (wanted === 0 || last === at || later === undefined) continue
    draws[at] = [key, unit, addend, limit, 0, all, returned]
    draws[last] = [key, unit, later[2], later[3], Math.max(wanted, later[4]), all, later[6]]
  }
}

function isSameCounter(one: CounterHit | undefined, { key, unit }: CounterHit): boolean {
  return one?.key === key && one.unit === unit
}

/** The hit as leases know it; null for what is not leased, looks only, or gives back. */
function toLeased({ key, unit, addend, limit, isLeased, isRefund }: CounterHit, { source }: LeaseHolder) {
  if (isLeased !== true || isRefund === true || addend <= 0 || limit === undefined) return null
  return source.canCount(key, unit) ? ({ key, unit, addend, limit } satisfies LeasedHit) : null
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

function pick(hits: readonly CounterHit[], positions: readonly number[]): readonly CounterHit[] {
  return positions.flatMap((at) => hits[at] ?? [])
}
