/** The text variant of gRPC-Web: base64 in which padding may occur at each flush of the sender. */

import { decodeBase64 } from '#base/base64.ts'
import { joinBytes } from '#base/bytes.ts'
import { ProtoJsonError } from '../errors.ts'

const pieces = /[A-Za-z0-9+/]+={0,2}/g
const groups = /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)*$/

/** Reads a whole text; malformed_message unless it is a sequence of padded base64 pieces. */
export function decodeBase64Text(text: string): Uint8Array {
  if (groups.test(text)) return joinBytes((text.match(pieces) ?? []).map(decodeBase64))
  throw new ProtoJsonError('malformed_message', 'Cannot read message: the body is not base64, expected gRPC-Web text')
}
