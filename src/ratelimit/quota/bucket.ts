/** Buckets of the quota protocol: pairs without an order, which are the entries of a descriptor. */

import { type Match, matchDescriptor } from '../match.ts'
import { type Domain, type Rule, step } from '../rule-book.ts'
import type { Entry } from '../types.ts'
import { charge, type Work } from '../work.ts'

/** A bucket's pairs, ordered by key. */
export type Bucket = readonly Entry[]

/** Entries that are looked at for one bucket before it counts as unknown. */
const mostSteps = 1_000
/** Units of a step besides what the wildcards cost; what is left of the bucket is copied. */
const stepUnits = 16

/** Puts the pairs of a bucket in order, so that equal buckets are equal lists. */
export function orderBucket(pairs: readonly Entry[]): Bucket {
  return [...pairs].sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
}

/** A text that only equal buckets share. */
export function bucketName(bucket: Bucket): string {
  return JSON.stringify(bucket.map(({ key, value }) => [key, value]))
}

/**
 * Finds the limit of a bucket.
 *
 * A rule's entries have an order and a bucket's do not: the first order by key under which a rule with a limit matches
 * is taken, so a bucket and a descriptor that is sent in the order of the rule share a counter.
 *
 * @returns null when no rule limits the bucket.
 * @throws RatelimitError request_too_large when the wildcards cost more than is left of the budget.
 */
export function matchBucket(domain: Domain, bucket: Bucket, keyPrefix: string, work: Work): Match | null {
  const budget = { steps: mostSteps, work }
  const entries = findOrder(domain, bucket, budget)
  return entries === null ? null : matchDescriptor(domain, { entries }, keyPrefix, work)
}

function findOrder(
  node: Domain | Rule,
  rest: readonly Entry[],
  budget: { steps: number; readonly work: Work },
): readonly Entry[] | null {
  if (rest.length === 0) return 'limit' in node && node.limit !== null ? [] : null
  for (const [at, entry] of rest.entries()) {
    if (--budget.steps < 0) return null
    charge(budget.work, stepUnits + rest.length)
    const taken = step(node, entry, budget.work)
    const behind = taken === null ? null : findOrder(taken.rule, rest.toSpliced(at, 1), budget)
    if (behind !== null) return [entry, ...behind]
  }
  return null
}
