/** Attestations of validators: canonical arguments, the payload they sign, and the hash that ties a market to it. */

import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'
import { addressFromBytes, addressToBytes } from '../ids.ts'
import type { Address, TypedValue } from '../types.ts'
import type { QueryComponents } from './abi.ts'
import { encodeUint, encodeUintBigEndian, type Reader, readBytes } from './layout.ts'
import { decodeValue, encodeValues } from './value-bytes.ts'

/** The first bytes of a payload and of a hash: version 1, and algorithm 0, signatures of secp256k1. */
const header = Uint8Array.of(1, 0)
/** The first and the last id of actions that answer true or false. */
const firstBinary = 6
const lastBinary = 9
/** Most arguments that are read. */
const mostArguments = 10

/** Actions that can be attested, at the index that is their id; index 0 is empty. */
export const attestedActions: readonly string[] = [
  '',
  'get_record',
  'get_index',
  'get_change_over_time',
  'get_last_record',
  'get_first_record',
  'price_above_threshold',
  'price_below_threshold',
  'value_in_range',
  'value_equals',
  'get_high_value',
  'get_low_value',
]

/** The id of an action that can be attested; undefined for any other. */
export function attestedActionId(action: string): number | undefined {
  const id = attestedActions.indexOf(action)
  return id > 0 ? id : undefined
}

/**
 * Tells whether an action answers true or false instead of points.
 *
 * @param actionId - its number in an attestation, as `parseAttestationPayload` gives it.
 *
 * @example
 * const isTrueOrFalse = isBinaryAction(6)
 */
export function isBinaryAction(actionId: number): boolean {
  return actionId >= firstBinary && actionId <= lastBinary
}

/** Encodes an action's arguments canonically: u32 count, then each as u32 length and value, little endian. */
export function encodeArgs(args: readonly TypedValue[]): Uint8Array {
  return concatBytes(encodeUint(args.length, 4), encodeValues(args))
}

/** Decodes canonical arguments, none of no bytes; malformed_bytes when cut, left over or more than 10. */
export function decodeArgs(bytes: Uint8Array): readonly TypedValue[] {
  if (bytes.length === 0) return []
  const reader = readBytes(bytes, 'arguments')
  const count = reader.uint(4)
  if (count > mostArguments) {
    throw malformedBytes(`Cannot decode arguments: ${count} of them, expected at most ${mostArguments}`)
  }
  const args: TypedValue[] = []
  while (args.length < count) args.push(decodeValue(reader.bytes() ?? new Uint8Array()))
  reader.end()
  return args
}

/**
 * The hash that identifies a market, and the attestation that settles it: SHA-256 of version 1, algorithm 0,
 * provider, stream id, action id (u16) and arguments, big endian, each part but the id with its u32 length.
 *
 * It covers the bytes of the arguments, so one market encoded in two ways has two hashes: encode with
 * `encodeArgs`, decimals with all 18 digits, null without elements.
 *
 * @throws StreamNetError malformed_bytes when the action cannot be attested.
 */
export function hashComponents({ dataProvider, streamId, action, args }: QueryComponents): Uint8Array {
  const actionId = attestedActionId(action)
  if (actionId === undefined) throw malformedBytes(`Cannot hash query components: unknown action "${action}"`)
  return hashQuestion({ dataProvider: addressToBytes(dataProvider), streamId: encodeUtf8(streamId), actionId, args })
}

/** A question in bytes: 20 of its provider, up to 32 of its stream. */
export interface Question {
  readonly dataProvider: Uint8Array
  readonly streamId: Uint8Array
  readonly actionId: number
  /** Canonical arguments, see `decodeArgs`. */
  readonly args: Uint8Array
}

/** The hash of a question in bytes, see `hashComponents`. */
export function hashQuestion(question: Question): Uint8Array {
  return sha256(concatBytes(header, encodeQuestion(question)))
}

function encodeQuestion({ dataProvider, streamId, actionId, args }: Question): Uint8Array {
  const id = encodeUintBigEndian(actionId, 2)
  return concatBytes(withLength(dataProvider), withLength(streamId), id, withLength(args))
}

/** The document that a validator signs, before its arguments and result are read further. */
export interface AttestationPayload extends Omit<Question, 'dataProvider'> {
  readonly version: number
  readonly algorithm: number
  readonly blockHeight: number
  readonly dataProvider: Address
  /** ABI form: a boolean for actions 6 to 9, points for all others. */
  readonly result: Uint8Array
}

/**
 * Encodes an attestation's payload, big endian, with version 1 and algorithm 0.
 *
 * - u8 version, u8 algorithm, u64 height
 * - u32 length and provider (20 bytes), u32 length and stream id (up to 32 bytes)
 * - u16 action id
 * - u32 length and arguments, u32 length and result
 */
export function encodeAnswer(question: Question, blockHeight: number, result: Uint8Array): Uint8Array {
  const height = encodeUintBigEndian(blockHeight, 8)
  return concatBytes(header, height, encodeQuestion(question), withLength(result))
}

/** The digest that a validator signs of a payload: its plain SHA-256, without the prefix of personal messages. */
export function digestAttestation(payload: Uint8Array): Uint8Array {
  return sha256(payload)
}

/** Decodes an attestation's payload; malformed_bytes for another length, version, algorithm or provider. */
export function decodeAttestation(bytes: Uint8Array): AttestationPayload {
  const reader = readBytes(bytes, 'attestation')
  const version = reader.uint(1)
  const algorithm = reader.uint(1)
  if (version !== header[0] || algorithm !== header[1]) {
    const expected = header.join(' and ')
    throw malformedBytes(`Cannot decode attestation: version ${version}, algorithm ${algorithm}, expected ${expected}`)
  }
  const blockHeight = reader.uintBigEndian(8)
  const provider = part(reader)
  const payload = {
    version,
    algorithm,
    blockHeight,
    dataProvider: addressFromBytes(provider),
    streamId: part(reader),
    actionId: reader.uintBigEndian(2),
    args: part(reader),
    result: part(reader),
  }
  reader.end()
  if (provider.length !== 20 || payload.streamId.length > 32) {
    throw malformedBytes('Cannot decode attestation: expected a provider of 20 and a stream id of at most 32 bytes')
  }
  return payload
}

function part(reader: Reader): Uint8Array {
  return reader.take(reader.uintBigEndian(4)).slice()
}

function withLength(bytes: Uint8Array): Uint8Array {
  return concatBytes(encodeUintBigEndian(bytes.length, 4), bytes)
}
