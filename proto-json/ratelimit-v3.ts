/** Envoy's rate limit messages, version 3, to and from the domain's types, for messages that `fast-*` cannot handle. */

import { create, type JsonObject, type MessageInitShape } from '@bufbuild/protobuf'
import type { Json } from '#base/json.ts'
import type {
  Code,
  Descriptor,
  DescriptorStatus,
  Header,
  LimitOverride,
  RateLimit,
  RateLimitRequest,
  RateLimitResponse,
  Unit,
} from '#ratelimit/types.ts'
import { ProtoJsonError } from './errors.ts'
import {
  type RateLimitDescriptor as DescriptorMessage,
  type RateLimitDescriptorSchema,
  RateLimitRequestSchema,
  RateLimitResponseSchema,
  type RateLimitRequest as RequestMessage,
  type RateLimitResponse as ResponseMessage,
  type RateLimitResponse_DescriptorStatus as StatusMessage,
  RateLimitResponse_Code as WireCode,
  RateLimitResponse_RateLimit_Unit as WireLimitUnit,
  RateLimitUnit as WireUnit,
  RateLimitUnitSchema as WireUnitSchema,
} from './gen/ratelimit_pb.ts'

/** Finds the unit of a number; requests (`envoy.type.v3.RateLimitUnit`) and answers have the same numbers. */
function findUnit(unit: WireUnit): Unit | undefined {
  const name = WireUnitSchema.value[unit]?.localName
  // The names of the enum are the units, but for its default.
  return name === 'UNKNOWN' ? undefined : (name as Unit | undefined)
}

const wireCodes = { OK: WireCode.OK, OVER_LIMIT: WireCode.OVER_LIMIT } satisfies Record<Code, WireCode>

/** Turns a decoded request into the domain's; an override with no unit that exists keeps `unit: null`. */
export function fromRequestMessage(message: RequestMessage): RateLimitRequest {
  return {
    domain: message.domain,
    descriptors: message.descriptors.map(fromDescriptorMessage),
    hitsAddend: message.hitsAddend,
  }
}

function fromDescriptorMessage({ entries, limit, hitsAddend, isNegativeHits }: DescriptorMessage): Descriptor {
  return {
    entries: entries.map(({ key, value }) => ({ key, value })),
    ...(limit === undefined
      ? {}
      : { limit: { requestsPerUnit: limit.requestsPerUnit, unit: findUnit(limit.unit) ?? null } }),
    ...(hitsAddend === undefined ? {} : { hitsAddend }),
    ...(isNegativeHits ? { isNegativeHits } : {}),
  }
}

/** Turns a request of the domain into a message, for clients. */
export function toRequestMessage({ domain, descriptors, hitsAddend }: RateLimitRequest): RequestMessage {
  return create(RateLimitRequestSchema, { domain, descriptors: descriptors.map(toDescriptorMessage), hitsAddend })
}

function toDescriptorMessage(descriptor: Descriptor): MessageInitShape<typeof RateLimitDescriptorSchema> {
  const { entries, limit, hitsAddend, isNegativeHits = false } = descriptor
  return {
    entries: entries.map(({ key, value }) => ({ key, value })),
    isNegativeHits,
    ...(limit === undefined ? {} : { limit: toOverride(limit) }),
    ...(hitsAddend === undefined ? {} : { hitsAddend }),
  }
}

function toOverride({ requestsPerUnit, unit }: LimitOverride) {
  return { requestsPerUnit, unit: unit === null ? WireUnit.UNKNOWN : WireUnit[unit] }
}

/** Turns an answer of the domain into a message; `raw_body` and `quota` are never set. */
export function toResponseMessage(response: RateLimitResponse): ResponseMessage {
  const { overallCode, statuses, responseHeadersToAdd, requestHeadersToAdd = [], dynamicMetadata } = response
  return create(RateLimitResponseSchema, {
    overallCode: wireCodes[overallCode],
    statuses: statuses.map(toStatusMessage),
    responseHeadersToAdd: responseHeadersToAdd.map(toHeader),
    requestHeadersToAdd: requestHeadersToAdd.map(toHeader),
    ...(dynamicMetadata === undefined ? {} : { dynamicMetadata: toStruct(dynamicMetadata) }),
  })
}

function toHeader({ key, value }: Header): Header {
  return { key, value }
}

function toStatusMessage({ code, currentLimit, limitRemaining, secondsUntilReset }: DescriptorStatus) {
  return {
    code: wireCodes[code],
    limitRemaining,
    ...(currentLimit === undefined ? {} : { currentLimit: toLimitMessage(currentLimit) }),
    ...(secondsUntilReset === undefined
      ? {}
      : { durationUntilReset: { seconds: BigInt(secondsUntilReset), nanos: 0 } }),
  }
}

function toLimitMessage({ requestsPerUnit, unit, name = '' }: RateLimit) {
  return { requestsPerUnit, unit: WireLimitUnit[unit], name }
}

/** Copies, because the library's type of a struct is mutable. */
function toStruct(metadata: { readonly [key: string]: Json }): JsonObject {
  return structuredClone<JsonObject>(metadata as JsonObject) // the same values; only `readonly` is dropped from the copy
}

/** Turns a decoded answer into the domain's, for clients; malformed_message for an unknown code or unit. */
export function fromResponseMessage(message: ResponseMessage): RateLimitResponse {
  const { overallCode, statuses, responseHeadersToAdd, requestHeadersToAdd, dynamicMetadata } = message
  return {
    overallCode: toCode(overallCode),
    statuses: statuses.map(fromStatusMessage),
    responseHeadersToAdd: responseHeadersToAdd.map(toHeader),
    ...(requestHeadersToAdd.length > 0 && { requestHeadersToAdd: requestHeadersToAdd.map(toHeader) }),
    ...(dynamicMetadata === undefined ? {} : { dynamicMetadata }),
  }
}

function fromStatusMessage({
  code,
  currentLimit,
  limitRemaining,
  durationUntilReset,
}: StatusMessage): DescriptorStatus {
  return {
    code: toCode(code),
    limitRemaining,
    ...(currentLimit === undefined ? {} : { currentLimit: fromLimitMessage(currentLimit) }),
    ...(durationUntilReset === undefined ? {} : { secondsUntilReset: Number(durationUntilReset.seconds) }),
  }
}

function fromLimitMessage(limit: NonNullable<StatusMessage['currentLimit']>): RateLimit {
  const { requestsPerUnit, name } = limit
  const unit = findUnit(limit.unit)
  if (unit === undefined) throw malformed(`its limit has unit ${limit.unit}`)
  return name === '' ? { requestsPerUnit, unit } : { requestsPerUnit, unit, name }
}

function toCode(code: WireCode): Code {
  if (code === WireCode.OK) return 'OK'
  if (code === WireCode.OVER_LIMIT) return 'OVER_LIMIT'
  throw malformed(`its code is ${code}`)
}

function malformed(state: string): ProtoJsonError {
  return new ProtoJsonError('malformed_message', `Cannot read answer: ${state}, expected one that is known`)
}
