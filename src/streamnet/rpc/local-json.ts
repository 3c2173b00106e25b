/** The JSON of a local node: parameters, checked before they are sent, and answers, checked as they are read. */

import type { ExactJson } from '../../base/canonical-json.ts'
import { parseDecimal } from '../../base/decimal.ts'
import { isRecord } from '../../base/json.ts'
import { invalidArgument, malformedResponse } from '../errors.ts'
import { parseStreamId } from '../ids.ts'

/** A record to insert. */
export interface LocalRecordInput {
  /** Unix time in seconds. */
  readonly eventTime: number | bigint
  /** Decimal text is exact; a number enters in its shortest form. */
  readonly value: string | number
}

/** A part of a stream; the latest record when both bounds are left out. */
export interface LocalRange {
  readonly streamId: string
  readonly fromTime?: number | bigint | undefined
  readonly toTime?: number | bigint | undefined
}

/** A record of a local stream. Integers beyond 2^53 are bigint, all others numbers. */
export interface LocalRecord {
  readonly eventTime: number | bigint
  readonly value: string
  readonly createdAt: number | bigint
}

/** A row of an index. */
export type LocalIndex = Omit<LocalRecord, 'createdAt'>

/** A local stream; the provider is the node itself, in lower case. */
export interface LocalStreamInfo {
  readonly dataProvider: string
  readonly streamId: string
  readonly streamType: string
  readonly createdAt: number | bigint
}

/** Parameters of a method by their names on the wire. */
export type LocalParams = Readonly<Record<string, ExactJson>>

type Json = Readonly<Record<string, unknown>>

/** Writes a range; invalid_argument when the id or a bound is malformed, or the range ends before it begins. */
export function writeRange({ streamId, fromTime, toTime }: LocalRange): LocalParams {
  if (fromTime !== undefined && toTime !== undefined && fromTime > toTime) {
    throw invalidArgument('from_time must be <= to_time')
  }
  return {
    stream_id: parseStreamId(streamId),
    ...(fromTime !== undefined && { from_time: writeInteger(fromTime, 'from_time') }),
    ...(toTime !== undefined && { to_time: writeInteger(toTime, 'to_time') }),
  }
}

/** Writes an integer of 64 bits; else invalid_argument. */
export function writeInteger(value: number | bigint, name: string): number | bigint {
  if (typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : Number.isSafeInteger(value)) return value
  throw invalidArgument(`${name} is ${value}, expected an integer of 64 bits`)
}

/** Writes a decimal as text; else invalid_argument. */
export function writeDecimal(value: string | number, name: string): string {
  const text = String(value)
  try {
    parseDecimal(text)
  } catch {
    throw invalidArgument(`${name} is "${text.slice(0, 48)}", expected a decimal number`)
  }
  return text
}

/** Reads records; malformed_response when a member is missing or malformed. */
export function readRecords(answer: unknown): readonly LocalRecord[] {
  return requireList(answer, 'records').map((row) => ({
    ...readPoint(row),
    createdAt: requireInteger(row, 'created_at'),
  }))
}

/** Reads rows of an index; malformed_response when a member is missing or malformed. */
export function readIndex(answer: unknown): readonly LocalIndex[] {
  return requireList(answer, 'records').map(readPoint)
}

/** Reads a list of streams; malformed_response when a member is missing or malformed. */
export function readStreams(answer: unknown): readonly LocalStreamInfo[] {
  return requireList(answer, 'streams').map((row) => ({
    dataProvider: requireText(row, 'data_provider'),
    streamId: requireText(row, 'stream_id'),
    streamType: requireText(row, 'stream_type'),
    createdAt: requireInteger(row, 'created_at'),
  }))
}

function readPoint(row: Json): LocalIndex {
  return { eventTime: requireInteger(row, 'event_time'), value: requireText(row, 'value') }
}

function requireList(answer: unknown, name: string): readonly Json[] {
  // An object or not: a missing member is undefined either way.
  const list = (answer as Json | null)?.[name] ?? []
  if (!Array.isArray(list) || !list.every(isRecord)) throw malformed(name)
  return list
}

function requireText(row: Json, name: string): string {
  const value = row[name]
  if (typeof value !== 'string') throw malformed(name)
  return value
}

function requireInteger(row: Json, name: string): number | bigint {
  const value = row[name]
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw malformed(name)
  // One of the two, tested above.
  return value as number | bigint
}

function malformed(name: string) {
  return malformedResponse(`Cannot read the node's answer: ${name} is missing or malformed`)
}
