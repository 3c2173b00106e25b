/** The services that Envoy and its operators call, as methods that `serve` can answer. */

import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf'
import type { RateLimitRequest, RateLimitResponse } from '#ratelimit/types.ts'
import { decodeRequest, encodeResponse, reading } from './binary.ts'
import { ProtoJsonError } from './errors.ts'
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatusNumber,
} from './gen/health_pb.ts'
import type { MessageFormat } from './grpc-web/content-type.ts'
import type { Call, Methods, StreamingCall } from './grpc-web/method.ts'
import { readRequestBytes, utf8Text, writeResponse } from './json.ts'
import { toLibraryForm } from './json-form.ts'
import { withoutMistyped } from './mistyped-fields.ts'
import { parseJsonText } from './strict-json.ts'

/** Path of `envoy.service.ratelimit.v3.RateLimitService.ShouldRateLimit`. */
export const shouldRateLimitPath = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'

/** Path of `grpc.health.v1.Health.Check`. */
export const healthCheckPath = '/grpc.health.v1.Health/Check'

/** Path of `grpc.health.v1.Health.Watch`. */
export const healthWatchPath = '/grpc.health.v1.Health/Watch'

/** Paths of every method that this service answers. */
export const servedMethods: readonly string[] = [shouldRateLimitPath, healthCheckPath, healthWatchPath]

const encoder = new TextEncoder()

function encodeText(text: string): Uint8Array<ArrayBuffer> {
  // An encoder never writes into shared memory; the platform's types leave that open.
  return encoder.encode(text) as Uint8Array<ArrayBuffer>
}

/** Makes the one method of the rate limit service; what `decide` throws goes to `ServeOptions.statusOf`. */
export function rateLimitMethods(
  decide: (request: RateLimitRequest, call: Call) => Promise<RateLimitResponse>,
): Methods {
  const answer = async (message: Uint8Array, format: MessageFormat, call: Call) => {
    const isJson = format === 'json'
    const response = await decide(isJson ? readRequestBytes(message) : decodeRequest(message), call)
    return isJson ? encodeText(writeResponse(response)) : encodeResponse(response)
  }
  return new Map([[shouldRateLimitPath, { kind: 'unary', answer }]])
}

/** Serving status of a service. */
export type ServingStatus = 'SERVING' | 'NOT_SERVING'

/** Sources of the health of services. */
export interface Health {
  /** The state of a service, the empty name meaning the server as a whole; null for a service that is unknown. */
  check(service: string): Promise<ServingStatus | null>
  /** The state now and again at every change, until the signal is aborted; absent: Watch is UNIMPLEMENTED. */
  readonly watch?: (service: string, signal: AbortSignal) => AsyncIterable<ServingStatus | null>
}

/** Makes gRPC's health checking: Check answers NOT_FOUND (5) for an unknown service, Watch SERVICE_UNKNOWN. */
export function healthMethods({ check, watch }: Health): Methods {
  const answerCheck = async (message: Uint8Array, format: MessageFormat) => {
    const status = await check(readService(message, format))
    if (status === null) throw new ProtoJsonError('unknown_service', 'unknown service')
    return writeStatus(status, format)
  }
  const checkOnly: Methods = new Map([[healthCheckPath, { kind: 'unary', answer: answerCheck }]])
  if (watch === undefined) return checkOnly
  async function* answerWatch(message: Uint8Array, format: MessageFormat, call: StreamingCall) {
    for await (const status of watch?.(readService(message, format), call.signal) ?? []) {
      yield writeStatus(status, format)
    }
  }
  return new Map([...checkOnly, [healthWatchPath, { kind: 'stream', answer: answerWatch }]])
}

function readService(message: Uint8Array, format: MessageFormat): string {
  if (format === 'json') {
    const json = toLibraryForm(HealthCheckRequestSchema, parseJsonText(utf8Text(message)))
    return reading('health request', () => fromJson(HealthCheckRequestSchema, json)).service
  }
  return reading('health request', () =>
    fromBinary(HealthCheckRequestSchema, withoutMistyped(HealthCheckRequestSchema, message)),
  ).service
}

function writeStatus(status: ServingStatus | null, format: MessageFormat): Uint8Array<ArrayBuffer> {
  const response = {
    $typeName: 'grpc.health.v1.HealthCheckResponse' as const,
    status: ServingStatusNumber[status ?? 'SERVICE_UNKNOWN'],
  }
  return format === 'json'
    ? encodeText(JSON.stringify(toJson(HealthCheckResponseSchema, response)))
    : toBinary(HealthCheckResponseSchema, response)
}
