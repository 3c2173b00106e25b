/** Hits of limits with `charge: all_or_nothing`: every counter of a request takes its hits, or none does. */

import { capacityOf } from '../algorithm/algorithm.ts'
import { type DescriptorHit, isTogether, refusesRequest } from '../descriptor-hit.ts'
import { RatelimitError } from '../errors.ts'
import { asLook, assertOneEach, type CounterHit, type CounterStore, type Hits, isRefusable } from '../ports.ts'
import type { ReservationStep } from '../reservation/reservations.ts'
import type { DecisionContext } from './context.ts'

/**
 * Counts in one call where one takes all counters, else in two phases: the hits are held in all counters under one id,
 * then kept in all of them, or given back by those that took them. A hold that is neither, because a call between them
 * was lost, ends by itself and gives back.
 *
 * Nothing is admitted before each counter has said that it keeps its hits, so a crash never admits a request that the
 * counters do not have. Other hits of the request count whether or not it is admitted.
 *
 * @param known - hits that the over-limit cache has refused: where one refuses the request, no hit counts together.
 * @returns one counter for each hit, in their order; those that gave back as they are without the hit.
 * @throws RatelimitError counter_unavailable when a counter cannot be asked, or does not keep what it held.
 */
export async function countTogether(
  counted: readonly DescriptorHit[],
  known: readonly DescriptorHit[],
  { counters, settings, drawId }: DecisionContext,
): Promise<readonly Hits[]> {
  const refuses: Refuses = (one) => refusesRequest(one, settings.SHADOW_MODE || settings.QUOTA_MODE)
  const hits = counted.map(({ hit }) => hit)
  if (known.some(refuses)) return counters.hit(counted.map((one) => (isTogether(one) ? asLook(one.hit) : one.hit)))
  if (counters.isOneCall?.(hits) !== true) return countInPhases(counted, refuses, counters, drawId())
  const joint = counted.map((one, at): CounterHit => {
    const mayRefuse = isRefusable(one.hit) && refuses(one)
    return { ...one.hit, joint: { rest: counted.length - 1 - at, mayRefuse, isTogether: isTogether(one) } }
  })
  return counters.hit(joint)
}

/** Tells whether a limit that is over refuses the whole request. */
type Refuses = (one: DescriptorHit) => boolean

async function countInPhases(
  counted: readonly DescriptorHit[],
  refuses: Refuses,
  counters: CounterStore,
  id: string,
): Promise<readonly Hits[]> {
  const asked = counted.map((one) => (isTogether(one) ? step(one.hit, 'reserve', id) : one.hit))
  const taken = assertOneEach(await counters.hit(asked), counted)
  const isOver = counted.map(
    ({ rateLimit, hit }, at) => isRefusable(hit) && (taken[at]?.after ?? 0) > capacityOf(rateLimit),
  )
  const mustGiveBack = counted.some((one, at) => isOver[at] === true && refuses(one))
  const held = counted.map((one, at) => (isTogether(one) && isOver[at] === false ? one.hit : undefined))
  const settled = held.flatMap((hit) =>
    hit === undefined ? [] : [step(mustGiveBack ? { ...hit, addend: 0 } : hit, 'settle', id)],
  )
  if (mustGiveBack) {
    // What cannot be given back now ends by itself.
    if (settled.length > 0) await counters.hit(settled).catch(() => [])
    return taken.map((one, at) => ({ ...one, after: Math.max(0, one.after - (held[at]?.addend ?? 0)) }))
  }
  const kept = settled.length === 0 ? [] : await counters.hit(settled)
  if (kept.length === settled.length && kept.every(({ fault }) => fault === undefined)) return taken
  throw new RatelimitError('counter_unavailable', 'Cannot count: a counter does not keep the hits that it held')
}

function step(hit: CounterHit, action: ReservationStep['action'], id: string): CounterHit {
  return { ...hit, step: { action, id } }
}
