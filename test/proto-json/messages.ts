/** Arbitrary requests and answers, for properties, and what reading them gives. */

import fc from 'fast-check'
import { ProtoJsonError } from '#proto-json/errors.ts'
import type { Descriptor, DescriptorStatus, RateLimitRequest, RateLimitResponse, Unit } from '#ratelimit/types.ts'

const unit = fc.constantFrom<Unit>('SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR')
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const entry = fc.record({ key: text, value: text })

const descriptor: fc.Arbitrary<Descriptor> = fc.record(
  {
    entries: fc.array(entry, { maxLength: 3 }),
    limit: fc.record({ requestsPerUnit: uint32, unit: fc.option(unit) }),
    hitsAddend: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    isNegativeHits: fc.constant(true),
  },
  { requiredKeys: ['entries'] },
)

/** Requests with every field present or absent. */
export const anyRequest: fc.Arbitrary<RateLimitRequest> = fc.record({
  domain: text,
  descriptors: fc.array(descriptor, { maxLength: 4 }),
  hitsAddend: uint32,
})

/** Requests of the shape that nearly every client sends. */
export const plainRequest: fc.Arbitrary<RateLimitRequest> = fc.record({
  domain: text,
  descriptors: fc.array(fc.record({ entries: fc.array(entry, { maxLength: 3 }) }), { maxLength: 4 }),
  hitsAddend: uint32,
})

const limit = fc.oneof(
  fc.record({ requestsPerUnit: uint32, unit }),
  fc.record({ requestsPerUnit: uint32, unit, name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }) }),
)

const code = fc.constantFrom('OK' as const, 'OVER_LIMIT' as const)

const status: fc.Arbitrary<DescriptorStatus> = fc.record(
  { code, currentLimit: limit, limitRemaining: uint32, secondsUntilReset: fc.integer({ min: 1, max: 31_536_000 }) },
  { requiredKeys: ['code', 'limitRemaining'] },
)

/** Answers without dynamic metadata. */
export const anyResponse: fc.Arbitrary<RateLimitResponse> = fc.record(
  {
    overallCode: code,
    statuses: fc.array(status, { maxLength: 4 }),
    responseHeadersToAdd: headers(0),
    requestHeadersToAdd: headers(1),
  },
  { requiredKeys: ['overallCode', 'statuses', 'responseHeadersToAdd'] },
)

function headers(minLength: number) {
  return fc.array(fc.record({ key: text, value: text }), { minLength, maxLength: 3 })
}

/** Gives what a reader gives, or the code of the error that it throws. */
export function valueOrCode<T>(read: () => T): T | ProtoJsonError['code'] {
  try {
    return read()
  } catch (error) {
    if (error instanceof ProtoJsonError) return error.code
    throw error
  }
}
