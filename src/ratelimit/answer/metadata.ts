/** Dynamic metadata of an answer: what was asked, and what the rules say about it. */

import type { Json, JsonObject } from '../../base/json.ts'
import type { Descriptor, LimitOverride, RateLimitRequest } from '../types.ts'
import type { DecidedDescriptor } from './respond.ts'

/**
 * Builds the Struct of dynamic metadata: `domain`, `descriptors`, `hitsAddend` when the request has one, and
 * `metadata`, the merge of what the rules of all descriptors that are not over carry (absent when empty).
 */
export function dynamicMetadata(request: RateLimitRequest, decided: readonly DecidedDescriptor[]): JsonObject {
  const metadata = configuredMetadata(decided)
  return {
    domain: request.domain,
    descriptors: request.descriptors.map(describe),
    ...(request.hitsAddend === 0 ? {} : { hitsAddend: request.hitsAddend }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
}

function describe(descriptor: Descriptor): JsonObject {
  return {
    entries: descriptor.entries.map(({ key, value }) => `${key}=${value}`),
    ...(descriptor.limit === undefined ? {} : { limit: overrideText(descriptor.limit) }),
    ...(descriptor.hitsAddend === undefined ? {} : { hitsAddend: Number(descriptor.hitsAddend) }),
  }
}

/** The limit in protobuf's text form, which leaves out what is 0; the enum of overrides has no name for a week. */
function overrideText({ requestsPerUnit, unit }: LimitOverride): string {
  const requests = requestsPerUnit === 0 ? '' : `requests_per_unit:${requestsPerUnit} `
  return `${requests}unit:${unit === 'WEEK' ? 7 : unit}`
}

function configuredMetadata(decided: readonly DecidedDescriptor[]): JsonObject {
  let merged: JsonObject = {}
  for (const { match, status } of decided) {
    const { limit } = match
    if (limit?.rateLimit == null || limit.metadata === null) continue
    if (status.code !== 'OVER_LIMIT') merged = mergeMetadata(merged, limit.metadata)
  }
  return merged
}

/** Adds what is new: the first value of a key wins, maps merge, lists do not. */
export function mergeMetadata(first: JsonObject, second: JsonObject): JsonObject {
  const merged = new Map(Object.entries(first))
  for (const [key, value] of Object.entries(second)) {
    const known = merged.get(key)
    if (known === undefined) merged.set(key, value)
    else if (isObject(known) && isObject(value)) merged.set(key, mergeMetadata(known, value))
  }
  return Object.fromEntries(merged)
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
