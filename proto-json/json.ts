/** The rate limit messages as proto3 JSON, read as the reference reads and written as it writes. */

import { fromJson, type JsonValue, toJson } from '@bufbuild/protobuf'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { ProtoJsonError } from './errors.ts'
import { readPlainRequest } from './fast-json.ts'
import { writePlainResponse } from './fast-json-response.ts'
import { RateLimitRequestSchema, RateLimitResponseSchema } from './gen/ratelimit_pb.ts'
import { toLibraryForm } from './json-form.ts'
import { fromRequestMessage, fromResponseMessage, toRequestMessage, toResponseMessage } from './ratelimit-v3.ts'
import { parseJsonText } from './strict-json.ts'

/**
 * Reads a request.
 *
 * Requests in the plain shape that nearly every client sends take a short way; everything else goes through the
 * strict parser and the library. `test/proto-json/fast-json.test.ts` holds that both ways agree.
 *
 * @param text - the body with its byte-order mark, which is refused; `readRequestBytes` keeps it.
 * @throws ProtoJsonError malformed_json when it is not a request in JSON.
 */
export function readRequest(text: string): RateLimitRequest {
  return readPlainRequest(text) ?? readAnyRequest(text)
}

/** Reads a request the long way, which knows every form of JSON that a request may take. */
export function readAnyRequest(text: string): RateLimitRequest {
  if (/^\s*$/.test(text)) throw new ProtoJsonError('malformed_json', `Cannot read JSON: ${emptyState}`)
  const json = toLibraryForm(RateLimitRequestSchema, parseJsonText(text))
  return fromRequestMessage(reading(() => fromJson(RateLimitRequestSchema, json)))
}

const emptyState =
  'the body is empty, expected {"domain":"...","descriptors":[{"entries":[{"key":"...","value":"..."}]}]}'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Reads a request from the bytes of a body; malformed_json when they are not JSON in UTF-8. */
export function readRequestBytes(bytes: Uint8Array): RateLimitRequest {
  return readRequest(utf8Text(bytes))
}

/** Decodes UTF-8 strictly, or malformed_json; a byte-order mark is kept for the parser to refuse. */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new ProtoJsonError('malformed_json', 'Cannot read JSON: its bytes are not UTF-8', { cause })
  }
}

/** Writes a request, for clients. */
export function writeRequest(request: RateLimitRequest): string {
  return JSON.stringify(toJson(RateLimitRequestSchema, toRequestMessage(request)))
}

/** Writes an answer: no defaults, 32-bit integers as numbers, durations as `"58s"`, enums by name, no white space. */
export function writeResponse(response: RateLimitResponse): string {
  if (response.dynamicMetadata === undefined) return writePlainResponse(response)
  return JSON.stringify(toJson(RateLimitResponseSchema, toResponseMessage(response)))
}

/** Reads an answer, for clients: malformed_json, or malformed_message for an unknown code or unit. */
export function readResponse(text: string): RateLimitResponse {
  const json: JsonValue = reading(() => JSON.parse(text))
  const message = reading(() => fromJson(RateLimitResponseSchema, json, { ignoreUnknownFields: true }))
  return fromResponseMessage(message)
}

function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    const state = describeState(cause)
    throw new ProtoJsonError('malformed_json', `Cannot read JSON: ${state}`, { cause })
  }
}

function describeState(cause: unknown): string {
  // What overflows the stack is a value that holds itself thousands of times, which only an answer's metadata can.
  if (cause instanceof RangeError) return 'it is nested too deeply'
  return cause instanceof Error ? cause.message : 'it makes no sense'
}
