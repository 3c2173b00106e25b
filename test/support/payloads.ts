/** Encoders of payloads that the network takes and the client never sends. */

import { concatBytes } from '#base/bytes.ts'
import { encodeBigInt } from '#streamnet/codec/compact.ts'
import { encodeBytes, encodeString, encodeUint } from '#streamnet/codec/layout.ts'
import { encodeValues } from '#streamnet/codec/value-bytes.ts'
import { addressToBytes } from '#streamnet/ids.ts'
import type { RawStatement, Transfer } from '#streamnet/types.ts'

/** Encodes what `decodeTransfer` decodes. */
export function encodeTransfer({ to, amount }: Transfer): Uint8Array {
  const account = concatBytes(encodeUint(0, 2), encodeBytes(addressToBytes(to)), encodeUint(0, 4))
  return concatBytes(encodeUint(0, 2), encodeBytes(account), encodeBigInt(amount))
}

/** Encodes what `decodeRawStatement` decodes. */
export function encodeRawStatement({ statement, parameters }: RawStatement): Uint8Array {
  return concatBytes(
    encodeUint(0, 2),
    encodeString(statement),
    encodeUint(parameters.length, 2),
    ...parameters.flatMap(({ name, value }) => [encodeString(name), encodeValues([value])]),
  )
}
