/** Buckets of the quota protocol: pairs without an order, which are the entries of a descriptor. */

import { type Match, matchDescriptor } from '../match.ts'
import { type Domain, type Rule, step } from '../rule-book.ts'
import type { Entry } from '../types.ts'

/** A bucket's pairs, ordered by key. */
export type Bucket = readonly Entry[]

/** Entries that are looked at for one bucket before it counts as unknown. */
const mostSteps = 1_000

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
 */
export function matchBucket(domain: Domain, bucket: Bucket, keyPrefix: string): Match | null {
  const budget = { steps: mostSteps }
  const entries = findOrder(domain, bucket, budget)
  return entries === null ? null : matchDescriptor(domain, { entries }, keyPrefix)
}

function findOrder(
  node: Domain | Rule,
  rest: readonly Entry[],
  budget: { steps: number },
): readonly Entry[] | null {
  if (rest.length === 0) return 'limit' in node && node.limit !== null ? [] : null
  for (const [at, entry] of rest.entries()) {
    if (--budget.steps < 0) return null
    const taken = step(node, entry)
    const behind = taken === null ? null : findOrder(taken.rule, rest.toSpliced(at, 1), budget)
    if (behind !== null) return [entry, ...behind]
  }
  return null
}
