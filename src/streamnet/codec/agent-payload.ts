/** The payload of a transaction that runs an action as an agent wallet, to bytes and back. */

import { concatBytes } from '../../base/bytes.ts'
import { decodeUtf8 } from '../../base/utf8.ts'
import { malformedBytes } from '../errors.ts'
import type { ActionCall, TypedValue } from '../types.ts'
import { encodeBytes, encodeString, encodeUint } from './layout.ts'
import { decodeValue, encodeValues } from './value-bytes.ts'

/** The word for such a transaction. */
export const agentPayloadType = 'maa_exec'

/** One run of an action as an agent wallet. */
export interface AgentExecution extends ActionCall {
  /** The 20 bytes of the wallet's address; a payload of another writer may have more or fewer. */
  readonly wallet: Uint8Array
}

/**
 * Encodes the payload.
 *
 * - u16 0, the version
 * - wallet: u32 length and bytes
 * - namespace, action: u32 length and UTF-8 each
 * - u16 count of arguments, then each as u32 length and value
 */
export function encodeAgentExecution({ wallet, namespace, action, args }: AgentExecution): Uint8Array {
  return concatBytes(
    encodeUint(0, 2),
    encodeBytes(wallet),
    encodeString(namespace),
    encodeString(action),
    encodeUint(args.length, 2),
    encodeValues(args),
  )
}

/**
 * Decodes the payload; bytes after its end are ignored, as the network does.
 *
 * @throws StreamNetError malformed_bytes when it is cut, has another version or an argument that cannot be read; the
 * message is the network's own where it is about the layout.
 */
export function decodeAgentExecution(bytes: Uint8Array): AgentExecution {
  const reader = readParts(bytes)
  const version = reader.uint(2)
  if (version !== 0) throw malformedBytes(`unsupported version ${version}`)
  const [wallet, namespace, action] = [reader.bytes(), reader.text(), reader.text()]
  const args: TypedValue[] = []
  // Grows with what is read, not with what a count claims.
  for (let left = reader.uint(2); left > 0; left--) args.push(decodeValue(reader.bytes()))
  return { wallet, namespace, action, args }
}

/** Reads parts one after the other like `readBytes`, with the messages of the network's own reader. */
function readParts(data: Uint8Array) {
  let offset = 0
  const left = () => data.length - offset
  const take = (length: number) => {
    offset += length
    return data.subarray(offset - length, offset)
  }
  const uint = (width: number) => {
    if (left() < width) throw malformedBytes(left() === 0 ? 'EOF' : 'unexpected EOF')
    return take(width).reduceRight((sum, byte) => sum * 256 + byte, 0)
  }
  const bytes = () => {
    const length = uint(4)
    if (length === 0xffffffff) return new Uint8Array()
    if (length > left()) throw malformedBytes(`encoded length ${length} is longer than data length ${left()}`)
    return take(length)
  }
  const text = () => {
    try {
      return decodeUtf8(bytes())
    } catch (cause) {
      throw cause instanceof TypeError ? malformedBytes('a name is not UTF-8') : cause
    }
  }
  return { uint, bytes, text }
}
