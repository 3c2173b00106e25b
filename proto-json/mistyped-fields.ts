/** Fields whose bytes have another wire type than their number's, which protobuf reads as fields that are not known. */

import type { DescField, DescMessage } from '@bufbuild/protobuf'
import { ScalarType } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { joinBytes } from '#base/bytes.ts'

/** Wire types of the scalars that are not a varint (protobuf encoding guide, "Message Structure"). */
const otherScalars: ReadonlyMap<ScalarType, WireType> = new Map([
  [ScalarType.STRING, WireType.LengthDelimited],
  [ScalarType.BYTES, WireType.LengthDelimited],
  [ScalarType.DOUBLE, WireType.Bit64],
  [ScalarType.FIXED64, WireType.Bit64],
  [ScalarType.SFIXED64, WireType.Bit64],
  [ScalarType.FLOAT, WireType.Bit32],
  [ScalarType.FIXED32, WireType.Bit32],
  [ScalarType.SFIXED32, WireType.Bit32],
])

/** The most groups inside one another that are skipped; the reference skips ten times as many. */
const maxGroups = 1000

/**
 * Leaves out fields of the wrong wire type, which the library would read as if they had the right one, and groups,
 * which no message of this project has.
 *
 * Messages of this project hold no repeated scalars, so that the packed form is not looked for.
 *
 * The library's error for bytes that are not a message passes through: `reading` gives it a code.
 *
 * @returns the same bytes when there is no such field.
 */
export function withoutMistyped(desc: DescMessage, bytes: Uint8Array): Uint8Array {
  const reader = new BinaryReader(bytes)
  const kept: Uint8Array[] = []
  let isWhole = true
  while (reader.pos < reader.len) {
    const start = reader.pos
    const [number, wireType] = reader.tag()
    const field = desc.fields.find((candidate) => candidate.number === number)
    const inner = field?.message
    if (inner !== undefined && wireType === WireType.LengthDelimited) {
      const before = reader.bytes()
      const after = withoutMistyped(inner, before)
      if (after === before) kept.push(bytes.subarray(start, reader.pos))
      else kept.push(new BinaryWriter().tag(number, wireType).bytes(after).finish())
      isWhole &&= after === before
    } else {
      reader.skip(wireType, number, maxGroups)
      const isRight = field === undefined ? wireType !== WireType.StartGroup : wireTypeOf(field) === wireType
      if (isRight) kept.push(bytes.subarray(start, reader.pos))
      isWhole &&= isRight
    }
  }
  return isWhole ? bytes : joinBytes(kept)
}

function wireTypeOf({ message, scalar }: DescField): WireType {
  if (message !== undefined) return WireType.LengthDelimited
  return (scalar === undefined ? undefined : otherScalars.get(scalar)) ?? WireType.Varint
}
