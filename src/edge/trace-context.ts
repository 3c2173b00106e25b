/**
 * The trace of a request: the header `traceparent` of W3C Trace Context, level 1.
 *
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */

/** A place in a trace. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string
  /** 16 lower-case hex digits, not all zero: the span that calls. */
  readonly spanId: string
  /** True when the caller records this trace. */
  readonly isSampled: boolean
}

const version00 = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Reads `traceparent`.
 *
 * A higher version than 00 may go on behind the flags, and is read as 00 (section 3.2.4).
 *
 * @returns undefined for a header that is missing or malformed: the request then begins a trace (section 4.3).
 */
export function parseTraceparent(header: string | null): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = version00.exec(header ?? '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/**
 * Decides by the trace id whether a trace that begins here is recorded, as `TraceIdRatioBased` samplers do: services
 * with the same ratio record the same traces.
 *
 * @param traceId - 32 hex digits; its last 13 are read as a random number.
 * @param ratio - the share of traces that are recorded, 0 to 1.
 */
export function isTraceSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52
}
