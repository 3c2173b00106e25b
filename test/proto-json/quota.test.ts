/** The quota protocol's bytes: usages as a repeated field and as a map, actions, and garbage. */

import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import {
  RateLimitQuotaResponseSchema,
  RateLimitQuotaUsageReports_BucketQuotaUsageSchema,
  RateLimitQuotaUsageReportsSchema,
} from '#proto-json/gen/quota_pb.ts'
import { decodeReports, encodeActions } from '#proto-json/quota.ts'

const bucket = [{ key: 'env', value: 'staging' }]
const usage = {
  bucketId: { bucket: { env: 'staging' } },
  timeElapsed: { seconds: 5n },
  numRequestsAllowed: 7n,
  numRequestsDenied: 2n ** 60n,
}

describe('decodeReports()', () => {
  test('reads usages of a repeated field, and cuts numbers at 2^53 - 1', () => {
    const message = create(RateLimitQuotaUsageReportsSchema, { domain: 'shop', bucketQuotaUsages: [usage] })
    expect(decodeReports(toBinary(RateLimitQuotaUsageReportsSchema, message))).toEqual({
      domain: 'shop',
      usages: [{ bucket, allowed: 7, denied: Number.MAX_SAFE_INTEGER, elapsed: 5 }],
    })
  })

  test('reads usages of a map from a number', () => {
    const schema = RateLimitQuotaUsageReports_BucketQuotaUsageSchema
    const entry = new BinaryWriter().tag(1, WireType.Varint).uint64(99n)
    entry.tag(2, WireType.LengthDelimited).bytes(toBinary(schema, create(schema, usage)))
    const message = new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(entry.finish())
    expect(decodeReports(message.finish()).usages).toEqual([
      { bucket, allowed: 7, denied: Number.MAX_SAFE_INTEGER, elapsed: 5 },
    ])
  })

  test('refuses any garbage with one error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeReports(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtoJsonError)
        }
      }),
      { seed: 3 },
    )
  })
})

test('encodeActions() writes token buckets, blanket rules and abandonments', () => {
  const bytes = encodeActions([
    { bucket, seconds: 30, maxTokens: 5, tokensPerFill: 10_000, fillSeconds: 1_000 },
    { bucket, seconds: 15, blanket: 'deny' },
    { bucket, seconds: 15, blanket: 'allow' },
    { bucket, isAbandoned: true },
  ])
  const { bucketAction } = fromBinary(RateLimitQuotaResponseSchema, bytes)
  expect(bucketAction.map(({ bucketId }) => bucketId?.bucket)).toEqual(
    Array.from({ length: 4 }, () => ({ env: 'staging' })),
  )
  const [token, deny, allow, abandoned] = bucketAction.map((action) => action.bucketAction)
  expect(token?.value).toMatchObject({
    assignmentTimeToLive: { seconds: 30n },
    rateLimitStrategy: {
      strategy: {
        case: 'tokenBucket',
        value: { maxTokens: 5, tokensPerFill: 10_000, fillInterval: { seconds: 1_000n } },
      },
    },
  })
  expect(deny?.value).toMatchObject({ rateLimitStrategy: { strategy: { case: 'blanketRule', value: 1 } } })
  expect(allow?.value).toMatchObject({ rateLimitStrategy: { strategy: { case: 'blanketRule', value: 0 } } })
  expect(abandoned?.case).toBe('abandonAction')
})
