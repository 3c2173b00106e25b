/**
 * Reads the query components of a market as the network does: the rules of go-ethereum's ABI decoder, with its texts.
 *
 * The client's own decoder (`codec/abi.ts`) is stricter and says other things, so the node has this one.
 */

import { decodeUtf8 } from '../../base/utf8.ts'
import type { QueryComponents } from '../../streamnet/codec/abi.ts'
import { attestedActionId, hashComponents } from '../../streamnet/codec/attestation.ts'
import { addressFromBytes } from '../../streamnet/ids.ts'
import { actionError, describeNullArgument } from '../errors.ts'

const word = 32
const maxInt64 = 2n ** 63n - 1n

/** Decodes `abi.encode(address, bytes32, string, bytes)`; action_failed when a part lies outside of the bytes. */
export function readComponents(bytes: Uint8Array): QueryComponents {
  const provider = head(bytes, 0)
  const streamId = head(bytes, 1)
  const action = text(tail(bytes, 2))
  const args = tail(bytes, 3)
  return {
    dataProvider: addressFromBytes(provider.subarray(12)),
    streamId: text(streamId.subarray(0, streamId.findLastIndex((byte) => byte !== 0) + 1)),
    action,
    args,
  }
}

/**
 * The hash (32 bytes) that names a market, equal to that of the attestation that settles it; action_failed for
 * components that are null, empty or malformed, as the network refuses them.
 */
export function marketHash(components: Uint8Array | null): Uint8Array {
  if (components === null) {
    throw actionError(describeNullArgument('compute_attestation_hash', 1))
  }
  if (components.length === 0) {
    throw actionError('query_components is required (ABI-encoded (address,bytes32,string,bytes))')
  }
  const question = readComponents(components)
  if (attestedActionId(question.action) === undefined) {
    throw actionError(`invalid action_id: unknown action: ${question.action.slice(0, 128)}`)
  }
  return hashComponents(question)
}

/** The word at an index of the head. */
function head(bytes: Uint8Array, index: number): Uint8Array {
  const end = (index + 1) * word
  if (end > bytes.length) throw insufficient(bytes.length, BigInt(end))
  return bytes.subarray(end - word, end)
}

/** The bytes that a word of the head points to: their length in a word, then themselves. */
function tail(bytes: Uint8Array, index: number): Uint8Array {
  const start = decodeNumber(head(bytes, index)) + BigInt(word)
  if (start > BigInt(bytes.length)) {
    throw fail(`abi: cannot marshal in to go slice: offset ${start} would go over slice boundary (len=${bytes.length})`)
  }
  const at = Number(start)
  const end = start + decodeNumber(bytes.subarray(at - word, at))
  if (end > maxInt64) throw fail(`abi: length larger than int64: ${end}`)
  if (end > BigInt(bytes.length)) throw insufficient(bytes.length, end)
  return bytes.slice(at, Number(end))
}

function decodeNumber(bytes: Uint8Array): bigint {
  let number = 0n
  for (const byte of bytes) number = (number << 8n) | BigInt(byte)
  return number
}

function text(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw fail('a text is not UTF-8')
  }
}

function insufficient(length: number, required: bigint) {
  return fail(`abi: cannot marshal in to go type: length insufficient ${length} require ${required}`)
}

function fail(state: string) {
  return actionError(`failed to ABI-decode query_components: ${state}`)
}
