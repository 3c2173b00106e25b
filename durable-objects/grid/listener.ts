/** One open event stream: the octets at the runtime, the events that wait, and the test that its reader reads. */

import { concatBytes } from '#base/bytes.ts'
import { formatComment } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { createQueue, type EncodedEvent, offerEvent, type Subscription, takeWaiting } from '#grid/records/broadcast.ts'

/** One open event stream. */
export interface Listener {
  readonly subscription: Subscription
  /** Key of its topics and form: listeners with the same key share the octets of a burst. */
  readonly feedKey: string
  /** True while the runtime holds octets that the reader has not taken: later events are queued. */
  readonly isWriting: () => boolean
  /** Milliseconds since octets were last given to the runtime. */
  readonly silentMs: () => number
  readonly write: (octets: Uint8Array) => void
  /** Queues events until the reader has taken what was written; false when the queue is full. */
  readonly queue: (events: readonly EncodedEvent[]) => boolean
  readonly waiting: () => number
  /** Ends the stream with a comment; what waits is dropped. */
  readonly end: (reason: string) => void
}

/** Milliseconds after which a reader that took nothing is late. */
const lateMs = 2_000

/** Octets that one write gives to the runtime for a reader that is late. */
const pieceBytes = 64 * 1024

/** Opens a stream; `onGone` is called when the reader has gone, at the latest at the next write. */
export function openListener(
  subscription: Subscription,
  onGone: () => void,
  readClock: () => number,
): { readonly listener: Listener; readonly readable: ReadableStream<Uint8Array> } {
  // One call for each write: the runtime would call a stream with a source for every chunk.
  const { readable, writable } = new IdentityTransformStream()
  const writer = writable.getWriter()
  const queue = createQueue(subscription)
  let isWriting = false
  let wroteMs = readClock()
  let firstLateMs: number | undefined

  function write(octets: Uint8Array): void {
    isWriting = true
    wroteMs = readClock()
    firstLateMs = undefined
    writer.write(octets).then(written, onGone)
  }

  function written(): void {
    isWriting = false
    const [first, ...more] = takeWaiting(queue, pieceBytes)
    if (first !== undefined) write(more.length === 0 ? first : concatBytes(first, ...more))
  }

  /** False once two checks, `lateMs` apart, found the reader late: a busy object learns of reads late itself. */
  function isReading(): boolean {
    const now = readClock()
    if (now - wroteMs >= lateMs) firstLateMs ??= now
    return firstLateMs === undefined || now - firstLateMs < lateMs
  }

  // A lost connection aborts the request; a reader that only ends the stream is noticed at the next write.
  writer.closed.catch(onGone)
  const listener: Listener = {
    subscription,
    feedKey: `${[...subscription.topics].join()} ${subscription.withIds} ${subscription.visibility}`,
    isWriting: () => isWriting,
    silentMs: () => readClock() - wroteMs,
    write,
    queue(events) {
      const reads = isReading()
      return events.every((event) => offerEvent(queue, event, reads))
    },
    waiting: () => queue.waiting.length,
    end(reason) {
      takeWaiting(queue, Number.POSITIVE_INFINITY)
      // The reader may have left already.
      writer.write(encodeUtf8(formatComment(reason))).catch(() => undefined)
      writer.close().catch(() => undefined)
    },
  }
  return { listener, readable }
}
