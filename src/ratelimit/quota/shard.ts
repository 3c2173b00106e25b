/** Shards of a domain's buckets: which one has a bucket, and the name of its object. */

import { groupBy } from '../../base/group-by.ts'
import { hashOf } from '../placement.ts'
import type { Entry } from '../types.ts'
import { bucketName, orderBucket } from './bucket.ts'

/** Finds the shard of a bucket, 0 to `shards - 1`: by the hash of counters. The order of the pairs does not matter. */
export function chooseShard(pairs: readonly Entry[], shards: number): number {
  return hashOf(bucketName(orderBucket(pairs))) % shards
}

/** Splits a message's usages by shard, in order; one without usages is an empty part of shard 0. */
export function splitByShard<Usage extends { readonly bucket: readonly Entry[] }>(
  usages: readonly Usage[],
  shards: number,
): ReadonlyMap<number, readonly Usage[]> {
  if (shards === 1 || usages.length === 0) return new Map([[0, usages]])
  return groupBy(usages, ({ bucket }) => chooseShard(bucket, shards))
}

/** Names the object of a shard. With one shard it is the domain itself. */
export function quotaObjectName(domain: string, shard: number, shards: number): string {
  return shards === 1 ? domain : `shard:${shard}/${shards} ${domain}`
}
