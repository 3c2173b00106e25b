/** The text variant of gRPC-Web: base64 in which padding may occur at each flush of the sender. */

import { ProtoJsonError } from '../errors.ts'

/** Writes one flushed piece, padded by itself. */
export function encodeBase64Text(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return btoa(binary)
}

/**
 * Reads a whole text.
 *
 * @throws ProtoJsonError malformed_message when it is not a sequence of padded base64 pieces.
 */
export function decodeBase64Text(text: string): Uint8Array {
  if (text.length % 4 !== 0) throw malformed()
  return decodeGroups(text)
}

const pieces = /[A-Za-z0-9+/]+={0,2}/g
const groups = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/

function decodeGroups(text: string): Uint8Array {
  if (!groups.test(text)) throw malformed()
  const binary = (text.match(pieces) ?? []).map(atob).join('')
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

function malformed(): ProtoJsonError {
  return new ProtoJsonError('malformed_message', 'Cannot read message: the body is not base64, expected gRPC-Web text')
}
