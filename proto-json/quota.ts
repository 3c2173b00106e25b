/** The quota protocol's messages as protobuf bytes: usage reports of a proxy, and what its buckets are to do. */

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { BucketUsage, QuotaAction } from '#ratelimit/quota/messages.ts'
import { reading } from './binary.ts'
import {
  type RateLimitQuotaResponse_BucketActionSchema,
  RateLimitQuotaResponseSchema,
  RateLimitQuotaUsageReports_BucketQuotaUsageSchema,
  RateLimitStrategy_BlanketRule,
} from './gen/quota_pb.ts'

/** Path of `envoy.service.rate_limit_quota.v3.RateLimitQuotaService.StreamRateLimitQuotas`. */
export const quotaStreamPath = '/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas'

/** Path at which a front asks for the number of shards; the answer is `{"shards": 4}`. */
export const quotaShardsPath = `${quotaStreamPath}/shards`

/**
 * Decodes a message of reports. The usages are a repeated field on the wire of Envoy 1.40, and a map from a number to a
 * usage under the same field in later descriptions; both are read. Hits and seconds are cut at 2^53 - 1, and seconds
 * are 0 without `time_elapsed`.
 *
 * @returns the usages, and their domain: empty in all but the first message of some proxies.
 * @throws ProtoJsonError malformed_message when the bytes are not a message of reports.
 */
export function decodeReports(bytes: Uint8Array) {
  return reading('usage reports', () => {
    const reader = new BinaryReader(bytes)
    const usages: BucketUsage[] = []
    let domain = ''
    while (reader.pos < reader.len) {
      // Field 1 is `domain`, field 2 a usage.
      const [field, type] = reader.tag()
      if (field === 1 && type === WireType.LengthDelimited) domain = reader.string()
      else if (field === 2 && type === WireType.LengthDelimited) usages.push(decodeUsage(reader.bytes()))
      else reader.skip(type, field)
    }
    return { domain, usages }
  })
}

/** Encodes what buckets are to do as one message. */
export function encodeActions(actions: readonly QuotaAction[]): Uint8Array<ArrayBuffer> {
  return toBinary(
    RateLimitQuotaResponseSchema,
    create(RateLimitQuotaResponseSchema, { bucketAction: actions.map(toMessage) }),
  )
}

/** An entry of a map begins with its number (a varint), a usage with its bucket. */
function decodeUsage(bytes: Uint8Array): BucketUsage {
  const usage = fromBinary(RateLimitQuotaUsageReports_BucketQuotaUsageSchema, readMapValue(bytes) ?? bytes)
  const pairs = Object.entries(usage.bucketId?.bucket ?? {})
  return {
    bucket: pairs.map(([key, value]) => ({ key, value })),
    allowed: toCount(usage.numRequestsAllowed),
    denied: toCount(usage.numRequestsDenied),
    elapsed: Math.max(0, toCount(usage.timeElapsed?.seconds ?? 0n)),
  }
}

/** The value of an entry of a map, whose key is field 1 and value field 2; null for bytes of a usage itself. */
function readMapValue(bytes: Uint8Array): Uint8Array | null {
  const reader = new BinaryReader(bytes)
  let value: Uint8Array | null = null
  let isEntry = false
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === 1 && type === WireType.Varint) isEntry = true
    if (field === 2 && type === WireType.LengthDelimited) value = reader.bytes()
    else reader.skip(type, field)
  }
  return isEntry ? (value ?? new Uint8Array()) : null
}

function toCount(hits: bigint): number {
  return Number(hits > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : hits)
}

function toMessage(action: QuotaAction): MessageInitShape<typeof RateLimitQuotaResponse_BucketActionSchema> {
  const bucketId = { bucket: Object.fromEntries(action.bucket.map(({ key, value }) => [key, value])) }
  if ('isAbandoned' in action) return { bucketId, bucketAction: { case: 'abandonAction', value: {} } }
  const assignmentTimeToLive = { seconds: BigInt(action.seconds) }
  const value = { assignmentTimeToLive, rateLimitStrategy: { strategy: toStrategy(action) } }
  return { bucketId, bucketAction: { case: 'quotaAssignmentAction', value } }
}

function toStrategy(action: Exclude<QuotaAction, { readonly isAbandoned: true }>) {
  if ('blanket' in action) {
    const rule = action.blanket === 'allow' ? 'ALLOW_ALL' : 'DENY_ALL'
    return { case: 'blanketRule', value: RateLimitStrategy_BlanketRule[rule] } as const
  }
  const { maxTokens, tokensPerFill, fillSeconds } = action
  const fillInterval = { seconds: BigInt(fillSeconds) }
  return { case: 'tokenBucket', value: { maxTokens, tokensPerFill, fillInterval } } as const
}
