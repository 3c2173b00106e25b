/** The rate limit messages as protobuf bytes. */

import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { RateLimitRequest, RateLimitResponse } from '../src/ratelimit/types.ts'
import { ProtoJsonError } from './errors.ts'
import { RateLimitRequestSchema, RateLimitResponseSchema } from './gen/ratelimit_pb.ts'
import {
  fromRequestMessage,
  fromResponseMessage,
  toRequestMessage,
  toResponseMessage,
} from './ratelimit-v3.ts'
import { readWireRequest } from './wire-request.ts'
import { writeWireResponse } from './wire-response.ts'

/**
 * Decodes a request.
 *
 * Requests in the plain shape that nearly every proxy sends take a short way, everything else goes through the
 * library. `test/proto-json/wire-request.test.ts` holds that both ways agree.
 *
 * @throws ProtoJsonError `malformed_message` when the bytes are not a `RateLimitRequest`.
 */
export function decodeRequest(bytes: Uint8Array): RateLimitRequest {
  return readWireRequest(bytes) ?? decodeAnyRequest(bytes)
}

/** Decodes a request the long way, which knows every field that a request may have. */
export function decodeAnyRequest(bytes: Uint8Array): RateLimitRequest {
  return fromRequestMessage(reading('request', () => fromBinary(RateLimitRequestSchema, bytes)))
}

/** Encodes a request, for clients. */
export function encodeRequest(request: RateLimitRequest): Uint8Array<ArrayBuffer> {
  return toBinary(RateLimitRequestSchema, toRequestMessage(request))
}

/**
 * Decodes an answer, for clients.
 *
 * @throws ProtoJsonError `malformed_message` when the bytes are not a `RateLimitResponse` with known codes.
 */
export function decodeResponse(bytes: Uint8Array): RateLimitResponse {
  return fromResponseMessage(reading('answer', () => fromBinary(RateLimitResponseSchema, bytes)))
}

/** Encodes an answer, by a short way as well: `test/proto-json/wire-response.test.ts` holds that both agree. */
export function encodeResponse(response: RateLimitResponse): Uint8Array<ArrayBuffer> {
  return writeWireResponse(response) ?? encodeAnyResponse(response)
}

/** Encodes an answer the long way. */
export function encodeAnyResponse(response: RateLimitResponse): Uint8Array<ArrayBuffer> {
  return toBinary(RateLimitResponseSchema, toResponseMessage(response))
}

/** Runs a decoder of the library and gives its failure our code. */
export function reading<T>(what: string, decode: () => T): T {
  try {
    return decode()
  } catch (cause) {
    const state = cause instanceof Error ? cause.message : 'the bytes make no sense'
    throw new ProtoJsonError('malformed_message', `Cannot decode ${what}: ${state}`, { cause })
  }
}
