/** Joins many small pieces into chunks of a bounded size. */

import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'

/** Octets after which a chunk is complete: building one takes well under a millisecond. */
export const chunkSize = 16_384

/** Joins pieces in order; a chunk is at most one piece larger than `chunkSize`. */
export function* inChunks(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let pending: Uint8Array[] = []
  let size = 0
  for (const piece of pieces) {
    pending.push(piece)
    size += piece.length
    if (size < chunkSize) continue
    yield concatBytes(...pending)
    pending = []
    size = 0
  }
  if (size > 0) yield concatBytes(...pending)
}

/** Joins text in order into UTF-8 chunks. */
export function inTextChunks(pieces: Iterable<string>): Generator<Uint8Array> {
  return inChunks(encodeEach(pieces))
}

function* encodeEach(pieces: Iterable<string>): Generator<Uint8Array> {
  for (const piece of pieces) yield encodeUtf8(piece)
}
