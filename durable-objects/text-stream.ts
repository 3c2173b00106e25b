/** Long answers as streams made piece by piece, so that no answer holds up the object that gives it. */

import { encodeEventText } from '../src/base/event-stream.ts'

/** Octets after which a piece is passed on. */
const pieceBytes = 32 * 1024

/**
 * Streams pieces as they are made, letting other events of the object in between.
 *
 * @param pieces - Text or octets; each should take well under the time that a step may wait.
 */
export function streamPieces(pieces: Iterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]()
  const source: UnderlyingByteSource = {
    // A stream of octets, because only such a stream can cross from an object to its caller.
    type: 'bytes',
    async pull(controller: ReadableByteStreamController) {
      // A timer and not a promise: promises run before any other event, a timer after those that wait.
      await new Promise((resolve) => setTimeout(resolve, 0))
      for (let bytes = 0; bytes < pieceBytes; ) {
        const { done, value } = iterator.next()
        if (done) {
          controller.close()
          controller.byobRequest?.respond(0)
          return
        }
        const piece = typeof value === 'string' ? encodeEventText(value) : value
        if (piece.length > 0) controller.enqueue(piece)
        bytes += piece.length
      }
    },
    cancel() {
      iterator.return?.()
    },
  }
  return new ReadableStream(source)
}
