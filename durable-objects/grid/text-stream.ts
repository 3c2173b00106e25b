/** Long answers as streams that are produced piece by piece, so that no answer blocks its object. */

import { concatBytes } from '#base/bytes.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { pause } from '../base/pause.ts'

/** Octets that are produced in one turn of the event loop. */
const pieceBytes = 16 * 1024

/**
 * Streams pieces as they are produced, and yields to other events of the object between them. It is written rather than
 * pulled: the runtime asks a source for several pieces in one turn (`bench/grid-export` shows the wait).
 */
export function streamPieces(pieces: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  // A stream of octets, because only such a stream can cross from an object to its caller.
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  writePieces(pieces, writer).catch((error: unknown) => writer.abort(error).catch(() => undefined))
  return readable
}

/** Writes all pieces. The write after the reader left fails, which ends the loop and so the pieces. */
async function writePieces(pieces: Iterable<string | Uint8Array>, writer: WritableStreamDefaultWriter<Uint8Array>) {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for (const piece of pieces) {
    const octets = typeof piece === 'string' ? encodeUtf8(piece) : piece
    waiting.push(octets)
    bytes += octets.length
    if (bytes < pieceBytes) continue
    await writer.write(concatBytes(...waiting))
    waiting = []
    bytes = 0
    // A timer and not a promise: promises run before any other event, a timer after those that wait.
    await pause()
  }
  if (bytes > 0) await writer.write(concatBytes(...waiting))
  await writer.close()
}
