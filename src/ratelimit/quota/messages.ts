/** Messages between the gRPC front and a quota object: reports and actions as JSON, one message a frame. */

import { isRecord, parseJsonList } from '../../base/json.ts'
import { RatelimitError } from '../errors.ts'
import { type Bucket, orderBucket } from './bucket.ts'
import type { Usage } from './report.ts'

/** The usage of one bucket since its last report. */
export interface BucketUsage extends Usage {
  readonly bucket: Bucket
}

/** Action for a bucket. */
export type QuotaAction =
  /** At most `maxTokens` at once and `tokensPerFill` in `fillSeconds`, for whole seconds. */
  | {
      readonly bucket: Bucket
      readonly seconds: number
      readonly maxTokens: number
      readonly tokensPerFill: number
      readonly fillSeconds: number
    }
  /** Let every hit pass, or none, for whole seconds. */
  | { readonly bucket: Bucket; readonly seconds: number; readonly blanket: 'allow' | 'deny' }
  /** Forget the bucket. */
  | { readonly bucket: Bucket; readonly isAbandoned: true }

/**
 * Bounds on one message of reports, which a stock Envoy never meets: characters of the message, buckets in it, pairs of
 * a bucket, and characters of a key and of a value.
 */
const bounds = { length: 1_048_576, buckets: 4_096, entries: 16, textLength: 1_024 } as const

/**
 * Reads the reports of one message.
 *
 * @throws RatelimitError malformed_request when the text is not a list of usages as JSON.
 * @throws RatelimitError request_too_large when the message is beyond a bound.
 */
export function parseReports(text: string): readonly BucketUsage[] {
  if (text.length > bounds.length) {
    throw tooLarge(`${text.length} characters, expected at most ${bounds.length}`)
  }
  const usages = parseJsonList(text, malformed)
  if (usages.length > bounds.buckets) {
    throw tooLarge(`${usages.length} buckets, expected at most ${bounds.buckets}`)
  }
  return usages.map(parseUsage)
}

function parseUsage(usage: unknown): BucketUsage {
  if (!isRecord(usage) || !Array.isArray(usage.bucket)) throw malformed('a usage has no bucket')
  const pairs = usage.bucket.map((pair: unknown) => {
    if (!isRecord(pair) || typeof pair.key !== 'string' || typeof pair.value !== 'string') {
      throw malformed('a pair of a bucket is not a key and a value')
    }
    const { key, value } = pair
    if (key.length > bounds.textLength || value.length > bounds.textLength) {
      throw tooLarge(`a key or a value of more than ${bounds.textLength} characters`)
    }
    return { key, value }
  })
  if (pairs.length === 0) throw malformed('a bucket has no pair')
  if (pairs.length > bounds.entries) {
    throw tooLarge(`${pairs.length} pairs in a bucket, expected at most ${bounds.entries}`)
  }
  const { allowed, denied, elapsed = 0 } = usage
  return {
    bucket: orderBucket(pairs),
    allowed: count(allowed, 'hits'),
    denied: count(denied, 'hits'),
    elapsed: count(elapsed, 'seconds'),
  }
}

function count(value: unknown, what: string): number {
  if (typeof value === 'number' && value >= 0) return Math.min(Math.floor(value), Number.MAX_SAFE_INTEGER)
  throw malformed(`a number of ${what} is not 0 or more`)
}

function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `Cannot read usage reports: ${state}`)
}

function tooLarge(state: string): RatelimitError {
  return new RatelimitError('request_too_large', `Cannot read usage reports: ${state}`)
}
