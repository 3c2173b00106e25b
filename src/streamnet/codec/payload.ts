/** Payloads of transactions and view calls, to bytes and back. */

import { concatBytes } from '../../base/bytes.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes } from '../ids.ts'
import type { ActionCall, ActionExecution, RawStatement, Transfer, TypedValue } from '../types.ts'
import { readBigInt } from './compact.ts'
import { encodeString, encodeUint, type Reader, readBytes, readString } from './layout.ts'
import { assertVersion, decodeValue, encodeValues, type NullForm } from './value-bytes.ts'

/**
 * Encodes the body of a view call.
 *
 * - u16 0, the version
 * - namespace, action: u32 length and UTF-8 each
 * - u16 count of arguments, then each as u32 length and value
 */
export function encodeActionCall(call: ActionCall, nullForm?: NullForm): Uint8Array {
  return concatBytes(
    encodeUint(0, 2),
    encodeString(call.namespace),
    encodeString(call.action),
    encodeArgs(call.args, nullForm),
  )
}

/** Decodes the body of a view call; malformed_bytes for another layout. */
export function decodeActionCall(bytes: Uint8Array): ActionCall {
  return decode(bytes, 'action call', (reader) => ({
    namespace: readString(reader),
    action: readString(reader),
    args: decodeArgs(reader),
  }))
}

/**
 * Encodes an `execute` payload.
 *
 * - u16 0, the version
 * - namespace, action: u32 length and UTF-8 each
 * - u16 count of calls, then each as a view call's arguments: u16 count, each u32 length and value
 */
export function encodeActionExecution(execution: ActionExecution, nullForm?: NullForm): Uint8Array {
  return concatBytes(
    encodeUint(0, 2),
    encodeString(execution.namespace),
    encodeString(execution.action),
    encodeUint(execution.calls.length, 2),
    ...execution.calls.map((args) => encodeArgs(args, nullForm)),
  )
}

/** Encodes the calls of an action of the network's own. */
export function encodeExecution(action: string, calls: ActionExecution['calls']): Uint8Array {
  return encodeActionExecution({ namespace: '', action, calls })
}

/** Decodes an `execute` payload; malformed_bytes for another layout. */
export function decodeActionExecution(bytes: Uint8Array): ActionExecution {
  return decode(bytes, 'action execution', (reader) => ({
    namespace: readString(reader),
    action: readString(reader),
    calls: times(reader.uint(2), () => decodeArgs(reader)),
  }))
}

/**
 * Decodes a `transfer` payload.
 *
 * - u16 0, the version
 * - u32 length, then the account: u16 0, u32 length and 20 bytes, u32 key type 0
 * - amount: 1, varint length, decimal digits
 *
 * malformed_bytes for another layout, also that of old clients, whose account is bare bytes.
 */
export function decodeTransfer(bytes: Uint8Array): Transfer {
  return decode(bytes, 'transfer', (reader) => {
    const identifier = decode(reader.bytes() ?? new Uint8Array(), 'account', (account) => {
      const address = account.bytes()
      if (account.uint(4) !== 0 || address?.length !== 20) {
        throw malformedBytes('Cannot decode transfer: expected the 20 bytes of an address')
      }
      return address
    })
    const amount = readBigInt(reader)
    if (amount === null) throw malformedBytes('Cannot decode transfer: the amount is null')
    return { to: addressFromBytes(identifier), amount }
  })
}

/**
 * Decodes a `raw_statement` payload; malformed_bytes for another layout.
 *
 * - u16 0, the version
 * - statement: u32 length and UTF-8
 * - u16 count of parameters, then each as name (u32 length and UTF-8) and u32 length and value
 */
export function decodeRawStatement(bytes: Uint8Array): RawStatement {
  return decode(bytes, 'raw statement', (reader) => ({
    statement: readString(reader),
    parameters: times(reader.uint(2), () => ({ name: readString(reader), value: decodeArg(reader) })),
  }))
}

function encodeArgs(args: readonly TypedValue[], nullForm: NullForm | undefined): Uint8Array {
  return concatBytes(encodeUint(args.length, 2), encodeValues(args, nullForm))
}

function decodeArgs(reader: Reader): readonly TypedValue[] {
  return times(reader.uint(2), () => decodeArg(reader))
}

function decodeArg(reader: Reader): TypedValue {
  return decodeValue(reader.bytes() ?? new Uint8Array())
}

// Grows with what is read, not with what a count claims.
function times<T>(count: number, read: () => T): T[] {
  const list: T[] = []
  for (let index = 0; index < count; index++) list.push(read())
  return list
}

function decode<T>(bytes: Uint8Array, what: string, read: (reader: Reader) => T): T {
  const reader = readBytes(bytes, what)
  assertVersion(reader.uint(2), what)
  const decoded = read(reader)
  reader.end()
  return decoded
}
