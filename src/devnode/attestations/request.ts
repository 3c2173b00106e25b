/** Runs the query of a requested attestation and writes what the validator signs. */

import { decodeHex } from '../../base/hex.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { type DataPoint, encodeBoolean, encodeDataPoints } from '../../streamnet/codec/abi.ts'
import {
  attestedActionId,
  decodeArgs,
  encodeAnswer,
  encodeArgs,
  type Question as QuestionBytes,
} from '../../streamnet/codec/attestation.ts'
import { dataType } from '../../streamnet/codec/value.ts'
import type { TypedValue } from '../../streamnet/types.ts'
import type { ActionContext, Rows } from '../actions/action.ts'
import { assertHexDigits } from '../actions/checks.ts'
import type { Value } from '../actions/types.ts'
import { actionError, DevnodeError, describeNullArgument } from '../errors.ts'
import type { Profile } from '../profiles.ts'

/** A question after the checks of its form; without a provider or a stream where the request named none. */
export interface Question extends QuestionBytes {
  readonly action: string
}

/** Actions of a whole series; those up to `lastCached` take `use_cache` as their last argument. */
const lastSeries = 3
const lastCached = 5
/** The highest and the lowest value of a window. */
const extremes: readonly number[] = [10, 11]
const maxWindowSeconds = 7_776_000n

/** The id of an action that may be attested; action_failed for any other. */
export function requireActionId(action: string | null): number {
  const id = action === null ? undefined : attestedActionId(action)
  if (id !== undefined) return id
  // Text and NULL give NULL, and the refusal is then empty, as on the network.
  throw actionError(action === null ? '' : `Action not allowed for attestation: ${action}`)
}

/** The 20 bytes of a provider, or action_failed. NULL passes the network's checks; its payload is never signed. */
export function encodeProvider(dataProvider: string | null): Uint8Array {
  if (dataProvider === null) return new Uint8Array()
  const lower = dataProvider.toLowerCase()
  if ([...lower].length !== 42 || !lower.startsWith('0x')) {
    throw actionError('data_provider must be 0x-prefixed 40 hex characters')
  }
  assertHexDigits(lower.slice(2))
  return decodeHex(lower.slice(2))
}

/** The bytes of a stream id; action_failed when it does not have 32 characters. */
export function encodeStreamId(streamId: string | null): Uint8Array {
  if (streamId === null) return new Uint8Array()
  if ([...streamId].length !== 32) throw actionError('stream_id must be 32 characters')
  return encodeUtf8(streamId)
}

/**
 * Checks the arguments against their action, and switches the cache off: what is attested is read from the ledger.
 * Refuses null, and what the profile refuses of the action or its window: action_failed.
 */
export function prepareArgs(actionId: number, args: Uint8Array | null, profile: Profile): Uint8Array {
  if (args === null) {
    throw actionError(describeNullArgument('validate_attestation_date_range', 2))
  }
  if (actionId <= lastSeries && !profile.attestsSeries) {
    throw actionError(
      `action ${actionId} not allowed for attestation: use get_last_record, get_first_record, get_high_value, get_low_value, or binary actions`,
    )
  }
  if (extremes.includes(actionId)) assertWindow(readArgs(args, 'failed to decode action args'))
  return actionId <= lastCached ? withoutCache(args) : args
}

/** Runs the query and writes the canonical payload: version, algorithm, height, the question and its result. */
export function writePayload(context: ActionContext, question: Question): Uint8Array {
  return encodeAnswer(question, context.height, encodeResult(runQuery(context, question)))
}

/** A window must be closed, run forwards and last ninety days at most. */
function assertWindow(args: readonly TypedValue[]): void {
  if (args.length < 4) {
    throw actionError(`attestation action requires at least 4 args, got ${args.length}`)
  }
  const [, , first, last] = args
  const [from, to] = [first?.value ?? null, last?.value ?? null]
  if (from === null || to === null) {
    throw actionError("get_high_value/get_low_value attestation actions require both 'from' and 'to' parameters")
  }
  if (typeof from !== 'bigint' || typeof to !== 'bigint') {
    const name = typeof from === 'bigint' ? 'to' : 'from'
    throw actionError(`failed to parse '${name}' parameter: expected integer type`)
  }
  if (to < from) {
    throw actionError(`attestation date range invalid: 'from' (${from}) must be less than or equal to 'to' (${to})`)
  }
  if (to - from > maxWindowSeconds) {
    throw actionError(
      `attestation date range of ${to - from} seconds exceeds maximum of ${maxWindowSeconds} seconds (90 days)`,
    )
  }
}

function withoutCache(args: Uint8Array): Uint8Array {
  const values = readArgs(args, 'failed to decode action args')
  if (values.length === 0) return args
  return encodeArgs([...values.slice(0, -1).map(plainType), { type: dataType('bool'), value: false }])
}

/** A value as the network writes it again: only numerics have precision and scale. */
function plainType({ type, value }: TypedValue): TypedValue {
  const isPlain = type.name === 'numeric' || (type.precision === 0 && type.scale === 0)
  return isPlain ? { type, value } : { type: dataType(type.name, type.isArray), value }
}

/** A refusal by the action is not a failure of the request: the attestation then says that there is nothing. */
function runQuery(context: ActionContext, { action, args }: Question): Rows {
  const values = readArgs(args, `failed to decode args for action '${action}'`)
  try {
    return context.call(action, values)
  } catch (error) {
    if (!(error instanceof DevnodeError) || error.code === 'read_timeout') throw error
    if (error.code === 'action_failed') return []
    throw actionError(`action '${action}' call failed: ${error.message}`)
  }
}

/** The result in its ABI form: one boolean where the action gave one, else times and values. */
function encodeResult(rows: Rows): Uint8Array {
  const [first] = rows
  if (rows.length === 1 && first?.length === 1 && typeof first[0] === 'boolean') {
    return encodeBoolean(first[0])
  }
  return encodeDataPoints(rows.map(toPoint))
}

function toPoint([time, value]: readonly Value[], index: number): DataPoint {
  if (typeof time !== 'bigint') throw actionError(`row ${index}: timestamp is NULL`)
  if (time < 0n) throw actionError(`row ${index}: timestamp cannot be negative`)
  if (typeof value !== 'bigint') throw actionError(`row ${index}: value is NULL`)
  return [time, value]
}

/** Refuses a list of arguments that ends before its last one, in the words of the network's reader. */
function assertWhole(bytes: Uint8Array, failure: string): void {
  if (bytes.length < 4) throw actionError(`${failure}: data too short for arg count`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getUint32(0, true)
  for (let [index, at] = [0, 4]; index < count; index++) {
    const assertRest = (wanted: number, part: string) => {
      const left = bytes.length - at
      if (left >= wanted) return
      const state = left === 0 ? 'EOF' : 'unexpected EOF'
      throw actionError(`${failure}: failed to read arg ${index} ${part}: ${state}`)
    }
    assertRest(4, 'length')
    const length = view.getUint32(at, true)
    at += 4
    assertRest(length, 'bytes')
    at += length
  }
}

function readArgs(bytes: Uint8Array, failure: string): readonly TypedValue[] {
  assertWhole(bytes, failure)
  try {
    return decodeArgs(bytes)
  } catch (cause) {
    throw actionError(`${failure}: ${cause instanceof Error ? cause.message : 'malformed arguments'}`)
  }
}
