/** A store answers each hit. */

import type { DescriptorHit } from '../descriptor-hit.ts'
import { RatelimitError } from '../errors.ts'
import type { Hits } from '../ports.ts'

/**
 * Fails closed when the store returned fewer counters than it was asked for.
 *
 * @throws RatelimitError counter_unavailable when the numbers differ.
 */
export function assertOneEach(hits: readonly Hits[], counted: readonly DescriptorHit[]): readonly Hits[] {
  if (hits.length === counted.length) return hits
  throw new RatelimitError(
    'counter_unavailable',
    `Cannot count: the store answered ${hits.length} counters, expected ${counted.length}`,
  )
}
