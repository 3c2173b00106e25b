/** The rate limit messages as protobuf bytes. */

import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { ProtoJsonError } from './errors.ts'
import { readWireRequest } from './fast-binary.ts'
import { writeWireResponse } from './fast-binary-response.ts'
import { RateLimitRequestSchema, RateLimitResponseSchema } from './gen/ratelimit_pb.ts'
import { withoutMistyped } from './mistyped-fields.ts'
import { fromRequestMessage, fromResponseMessage, toRequestMessage, toResponseMessage } from './ratelimit-v3.ts'

/**
 * Decodes a request.
 *
 * Requests in the plain shape that nearly every proxy sends take a short way, everything else goes through the
 * library. `test/proto-json/fast-binary.test.ts` holds that both ways agree.
 *
 * @throws ProtoJsonError malformed_message when the bytes are not a `RateLimitRequest`.
 */
export function decodeRequest(bytes: Uint8Array): RateLimitRequest {
  return readWireRequest(bytes) ?? decodeAnyRequest(bytes)
}

/** Decodes a request the long way, which knows every field that a request may have. */
export function decodeAnyRequest(bytes: Uint8Array): RateLimitRequest {
  return fromRequestMessage(
    reading('request', () => fromBinary(RateLimitRequestSchema, withoutMistyped(RateLimitRequestSchema, bytes))),
  )
}

/** Encodes a request, for clients. */
export function encodeRequest(request: RateLimitRequest): Uint8Array<ArrayBuffer> {
  return toBinary(RateLimitRequestSchema, toRequestMessage(request))
}

/** Decodes an answer, for clients; malformed_message when it is not a `RateLimitResponse` with known codes. */
export function decodeResponse(bytes: Uint8Array): RateLimitResponse {
  return fromResponseMessage(reading('answer', () => fromBinary(RateLimitResponseSchema, bytes)))
}

/** Encodes an answer, by a short way as well: `test/proto-json/fast-binary-response.test.ts` holds that both agree. */
export function encodeResponse(response: RateLimitResponse): Uint8Array<ArrayBuffer> {
  return writeWireResponse(response) ?? encodeAnyResponse(response)
}

/** Encodes an answer the long way. */
export function encodeAnyResponse(response: RateLimitResponse): Uint8Array<ArrayBuffer> {
  return toBinary(RateLimitResponseSchema, toResponseMessage(response))
}

/** Runs a decoder of the library; malformed_message, with `what`, when it throws. */
export function reading<T>(what: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    throw new ProtoJsonError(
      'malformed_message',
      `Cannot decode ${what}: ${describeState(cause)}, expected a message in protobuf`,
      { cause },
    )
  }
}

/** The library's words, or plainer ones for the mistakes that are made most. */
function describeState(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : ''
  if (/premature EOF|out of range/i.test(text)) return 'the bytes end in the middle of a field'
  if (/utf-?8/i.test(text)) return 'a text is not UTF-8'
  return text === '' ? 'the bytes make no sense' : text
}
