/**
 * Spans as the OpenTelemetry protocol carries them over HTTP in JSON.
 *
 * @see https://github.com/open-telemetry/opentelemetry-proto/blob/v1.3.2/opentelemetry/proto/trace/v1/trace.proto
 * @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */

import { version } from '../base/version.ts'

/** The value of an attribute. */
export type SpanValue = string | number | boolean

/** Side of a span: that which answers a request, or that which makes a call. */
export type SpanKind = 'server' | 'client'

/** One finished span. */
export interface Span {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  /** The span that caused this one; absent for the first of a trace. */
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: SpanKind
  /** Unix time in milliseconds. */
  readonly startMs: number
  /** Unix time in milliseconds, not before `startMs`. */
  readonly endMs: number
  readonly attributes: Readonly<Record<string, SpanValue>>
  /** Failure of the span; absent when it succeeded. */
  readonly failure?: string
}

/** `SpanKind` of the protocol. */
const kindNumbers = { server: 2, client: 3 } as const
/** `StatusCode` of the protocol: STATUS_CODE_ERROR. */
const statusError = 2

/**
 * Writes the body of `POST /v1/traces`, an `ExportTraceServiceRequest`.
 *
 * In this encoding ids are hex digits, enumerations are numbers, and 64-bit integers are decimal texts. The resource and
 * the scope have the version of the product, so that a collector can compare releases.
 */
export function encodeSpans(spans: readonly Span[], serviceName: string): string {
  const resource = { attributes: encodeAttributes({ 'service.name': serviceName, 'service.version': version }) }
  const scopeSpans = [{ scope: { name: 'sluice', version }, spans: spans.map(encodeSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

function encodeSpan(span: Span): unknown {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: kindNumbers[span.kind],
    startTimeUnixNano: encodeNanoseconds(span.startMs),
    endTimeUnixNano: encodeNanoseconds(span.endMs),
    attributes: encodeAttributes(span.attributes),
    status: span.failure === undefined ? {} : { code: statusError, message: span.failure },
  }
}

function encodeNanoseconds(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds)) * 1_000_000n)
}

function encodeAttributes(attributes: Readonly<Record<string, SpanValue>>): readonly unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }))
}

function encodeValue(value: SpanValue): unknown {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
