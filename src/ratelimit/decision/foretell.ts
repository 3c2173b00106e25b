/** The counters of a request that is explained: as each hit would find them, and whether it would count. */

import { type DescriptorHit, isTogether, refusesRequest } from '../descriptor-hit.ts'
import { type Hits, isRefusable } from '../ports.ts'
import type { DecisionContext } from './context.ts'
import { wouldBeOver } from './count.ts'

/** A hit, and its counter before it. */
export interface CountedDescriptor {
  readonly descriptorHit: DescriptorHit
  readonly before: Hits
  /** True for a hit that would not count because another one is refused. */
  readonly isSpared: boolean
}

/** Foretells the hits of a request from their counters, by the ways in which `count` counts. */
export function foretellHits(
  hits: readonly DescriptorHit[],
  counters: readonly Hits[],
  { SHADOW_MODE, QUOTA_MODE, BACKEND_TYPE, STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT }: DecisionContext['settings'],
): readonly CountedDescriptor[] {
  const read = hits.map((descriptorHit, at) => ({ descriptorHit, before: counters[at] ?? unused, isSpared: false }))
  if (hits.length > 1 && hits.some(isTogether)) {
    const counted = addUp(read)
    const isRefused = counted.some((one) => isOver(one) && refusesRequest(one.descriptorHit, SHADOW_MODE || QUOTA_MODE))
    return counted.map((one) => ({ ...one, isSpared: isRefused && isTogether(one.descriptorHit) && !isOver(one) }))
  }
  // memcached judges every hit on the value before the request.
  if (BACKEND_TYPE === 'memcache') return read
  const isStopped = STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT && read.some(isOver)
  return addUp(
    read.map((one) => ({ ...one, isSpared: isStopped && isRefusable(one.descriptorHit.hit) && !isOver(one) })),
  )
}

const unused: Hits = { after: 0, secondsUntilReset: 1 }

function isOver({ descriptorHit, before }: CountedDescriptor): boolean {
  return wouldBeOver(descriptorHit, before)
}

/** The same counter twice in one request: the second sees what the first would have added. */
function addUp(read: readonly CountedDescriptor[]): readonly CountedDescriptor[] {
  const added = new Map<string, number>()
  return read.map((one) => {
    const { unit, key, addend, isRefund } = one.descriptorHit.hit
    const name = `${unit} ${key}`
    const earlier = added.get(name) ?? 0
    if (!one.isSpared) added.set(name, earlier + (isRefund === true ? -addend : addend))
    return { ...one, before: { ...one.before, after: Math.max(0, one.before.after + earlier) } }
  })
}
