/** CounterStore that admits hits from the leases of a holder, and asks the counters for the others. */

import { assertOneEach, type CounterHit, type CounterStore, type Hits } from '../ports.ts'
import { leaseStats } from '../statistics/names.ts'
import { looksRaised, memcacheRaise } from '../store-block.ts'
import { drawAll, isSameCounter, type LeaseCall, pick } from './ask-objects.ts'
import { countLeft, type LeasedHit } from './held-leases.ts'
import type { LeaseHolder } from './holder.ts'

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
  const means: Means = { store, holder, call }
  return {
    hit: (hits) => hitAll(hits, means),
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

interface Means {
  readonly store: CounterStore
  readonly holder: LeaseHolder
  readonly call: LeaseCall
}

function hitAll(hits: readonly CounterHit[], means: Means): Promise<readonly Hits[]> {
  const { store, holder, call } = means
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
  return hitRest(hits, answers, { plain, asked }, means)
}

/** Counts what no lease covers: positions of plain hits, and of hits that a lease is asked for with. */
async function hitRest(
  hits: readonly CounterHit[],
  answers: Hits[],
  { plain, asked }: { readonly plain: readonly number[]; readonly asked: readonly number[] },
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
  for (const [index, one] of assertOneEach(draws.value, asked).entries()) answers[asked[index] ?? hits.length] = one
  for (const [index, one] of assertOneEach(others.value, plain).entries()) answers[plain[index] ?? hits.length] = one
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

/** The hit as leases know it; null for what is not leased, looks only, or gives back. */
function toLeased({ key, unit, addend, limit, isLeased, isRefund }: CounterHit, { source }: LeaseHolder) {
  if (isLeased !== true || isRefund === true || addend <= 0 || limit === undefined) return null
  return source.canCount(key, unit) ? ({ key, unit, addend, limit } satisfies LeasedHit) : null
}
