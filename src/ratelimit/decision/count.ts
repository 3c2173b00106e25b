/** The hits of a request go to the store in one call, or in two where a refused request must not count. */

import { capacityOf } from '../algorithm/algorithm.ts'
import { type DescriptorHit, isTogether } from '../descriptor-hit.ts'
import { asLook, type CounterHit, type CounterStore, type Hits, isRefusable } from '../ports.ts'
import type { DecisionContext } from './context.ts'
import { countTogether } from './count-together.ts'

/**
 * Counts the hits of descriptors, all in one call.
 *
 * With `STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT` a request that is refused adds hits only to the counters that
 * refuse it: all are read first, and when one is over, the others are left as they are. Two round trips, not atomic,
 * as in the reference. The only descriptor of a request keeps counting past its limit.
 *
 * @param known - hits of the same request that the over-limit cache has refused: where there is one, the hits are then
 *   read and not counted.
 * @returns one counter for each hit, in their order, if the store keeps its word: see `assertOneEach`.
 * @throws RatelimitError counter_unavailable when the store fails.
 */
export function count(
  counted: readonly DescriptorHit[],
  known: readonly DescriptorHit[],
  context: DecisionContext,
): Promise<readonly Hits[]> {
  const { counters, settings } = context
  if (counted.length + known.length > 1 && counted.some(isTogether)) return countTogether(counted, known, context)
  const hits = counted.map((descriptorHit) => descriptorHit.hit)
  if (!settings.STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT || settings.BACKEND_TYPE === 'memcache')
    return counters.hit(hits)
  if (known.length > 0) return counters.hit(hits.map(withoutAddend))
  return hits.length === 1 ? counters.hit(hits) : countUnlessOver(counted, hits, counters)
}

async function countUnlessOver(
  counted: readonly DescriptorHit[],
  hits: readonly CounterHit[],
  counters: CounterStore,
): Promise<readonly Hits[]> {
  const before = await counters.peek(hits)
  const isOver = counted.map((descriptorHit, index) => wouldBeOver(descriptorHit, before[index]))
  if (!isOver.includes(true)) return counters.hit(hits)
  return counters.hit(hits.map((hit, index) => (isOver[index] === true ? hit : withoutAddend(hit))))
}

/** Tells whether a counter, absent at 0 hits, would refuse a hit. */
export function wouldBeOver({ hit, rateLimit }: DescriptorHit, before: Hits | undefined): boolean {
  return isRefusable(hit) && (before?.after ?? 0) + hit.addend > capacityOf(rateLimit)
}

/** Hits given back are given back, and a cost is settled, even when the rest of the request is refused. */
function withoutAddend(hit: CounterHit): CounterHit {
  return isRefusable(hit) ? asLook(hit) : hit
}
