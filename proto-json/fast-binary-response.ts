/**
 * The short way for answers in protobuf without dynamic metadata: the bytes that the library would write, put
 * together without a message in between.
 *
 * Texts beyond ASCII are left to the library.
 */

import type { Code, DescriptorStatus, Header, RateLimit, RateLimitResponse, Unit } from '#ratelimit/types.ts'

/** Writes a `RateLimitResponse`; null when it has dynamic metadata, or a text beyond ASCII. */
export function writeWireResponse(response: RateLimitResponse): Uint8Array<ArrayBuffer> | null {
  const { overallCode, statuses, responseHeadersToAdd, requestHeadersToAdd = noHeaders, dynamicMetadata } = response
  if (dynamicMetadata !== undefined || !hasPlainTexts(response)) return null
  const sizes = statuses.map(statusSize)
  let size = 2
  for (const inner of sizes) size += fieldSize(inner)
  for (const header of responseHeadersToAdd) size += fieldSize(headerSize(header))
  for (const header of requestHeadersToAdd) size += fieldSize(headerSize(header))
  const sink: Sink = { bytes: new Uint8Array(size), position: 0 }
  writeNumber(sink, tags.overallCode, codes[overallCode])
  for (let at = 0; at < statuses.length; at++) {
    const status = statuses[at]
    if (status !== undefined) writeStatus(sink, status, sizes[at] ?? 0)
  }
  for (const header of responseHeadersToAdd) writeHeader(sink, tags.responseHeader, header)
  for (const header of requestHeadersToAdd) writeHeader(sink, tags.requestHeader, header)
  return sink.bytes
}

/** A field's number and wire type in one byte: the number times eight, plus 2 for a length or 0 for a number. */
const tags = {
  overallCode: 0x08,
  status: 0x12,
  responseHeader: 0x1a,
  requestHeader: 0x22,
  /** Of a status. */
  code: 0x08,
  currentLimit: 0x12,
  limitRemaining: 0x18,
  durationUntilReset: 0x22,
  /** Of a limit. */
  requestsPerUnit: 0x08,
  unit: 0x10,
  name: 0x1a,
  /** Of a duration. */
  seconds: 0x08,
  /** Of a header. */
  key: 0x0a,
  value: 0x12,
} as const

const codes = { OK: 1, OVER_LIMIT: 2 } satisfies Record<Code, number>

/** `RateLimitResponse.RateLimit.Unit`. */
const unitNumbers = { SECOND: 1, MINUTE: 2, HOUR: 3, DAY: 4, MONTH: 5, YEAR: 6, WEEK: 7 } satisfies Record<Unit, number>

interface Sink {
  readonly bytes: Uint8Array<ArrayBuffer>
  position: number
}

const noHeaders: readonly Header[] = []

function hasPlainTexts(response: RateLimitResponse): boolean {
  const { statuses, responseHeadersToAdd, requestHeadersToAdd = noHeaders } = response
  for (const { currentLimit } of statuses) if (!isPlain(currentLimit?.name ?? '')) return false
  return responseHeadersToAdd.every(isPlainHeader) && requestHeadersToAdd.every(isPlainHeader)
}

function isPlainHeader({ key, value }: Header): boolean {
  return isPlain(key) && isPlain(value)
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false
  return true
}

function statusSize({ currentLimit, limitRemaining, secondsUntilReset }: DescriptorStatus): number {
  let size = 2 + numberSize(limitRemaining)
  if (currentLimit !== undefined) size += fieldSize(limitSize(currentLimit))
  if (secondsUntilReset !== undefined) size += fieldSize(numberSize(secondsUntilReset))
  return size
}

function limitSize({ requestsPerUnit, name = '' }: RateLimit): number {
  return numberSize(requestsPerUnit) + 2 + textSize(name)
}

function headerSize({ key, value }: Header): number {
  return textSize(key) + textSize(value)
}

function fieldSize(length: number): number {
  return 1 + varintSize(length) + length
}

/** Computes the bytes of a number with its tag: 0 is the default and is left out. */
function numberSize(value: number): number {
  return value === 0 ? 0 : 1 + varintSize(value)
}

/** Computes the bytes of a text with its tag and its length: an empty one is the default and is left out. */
function textSize(text: string): number {
  return text === '' ? 0 : fieldSize(text.length)
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

function writeStatus(sink: Sink, status: DescriptorStatus, size: number): void {
  const { code, currentLimit, limitRemaining, secondsUntilReset } = status
  writeLength(sink, tags.status, size)
  writeNumber(sink, tags.code, codes[code])
  if (currentLimit !== undefined) writeLimit(sink, currentLimit)
  writeNumber(sink, tags.limitRemaining, limitRemaining)
  if (secondsUntilReset === undefined) return
  writeLength(sink, tags.durationUntilReset, numberSize(secondsUntilReset))
  writeNumber(sink, tags.seconds, secondsUntilReset)
}

function writeLimit(sink: Sink, limit: RateLimit): void {
  writeLength(sink, tags.currentLimit, limitSize(limit))
  writeNumber(sink, tags.requestsPerUnit, limit.requestsPerUnit)
  writeNumber(sink, tags.unit, unitNumbers[limit.unit])
  writeText(sink, tags.name, limit.name ?? '')
}

function writeHeader(sink: Sink, tag: number, header: Header): void {
  writeLength(sink, tag, headerSize(header))
  writeText(sink, tags.key, header.key)
  writeText(sink, tags.value, header.value)
}

function writeText(sink: Sink, tag: number, text: string): void {
  if (text === '') return
  writeLength(sink, tag, text.length)
  for (let at = 0; at < text.length; at++) sink.bytes[sink.position++] = text.charCodeAt(at)
}

function writeNumber(sink: Sink, tag: number, value: number): void {
  if (value !== 0) writeLength(sink, tag, value)
}

/** Writes a tag and a number behind it, seven bits to a byte, the lowest first. */
function writeLength(sink: Sink, tag: number, value: number): void {
  sink.bytes[sink.position++] = tag
  let rest = value
  // Division, because limits reach 2^32 and a shift would make them negative.
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) sink.bytes[sink.position++] = (rest % 0x80) | 0x80
  sink.bytes[sink.position++] = rest
}
