/** One listener of an event stream: a bounded queue in front of a reader that may be slow or gone. */

import { concatBytes } from '#base/bytes.ts'
import { formatComment } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'

/** Events that may wait for a reader. */
const capacity = 100

/** Headers of a stream: nothing between its writer and its reader may keep or gather events. */
export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** A reader of a stream, at its own speed. */
export interface EventListener {
  readonly body: ReadableStream<Uint8Array>
  /** Queues octets; one event too many ends the stream, and the reader resumes from its last id. */
  readonly offer: (bytes: Uint8Array) => void
  /** Ends the stream with a comment that says why. */
  readonly close: (reason: string) => void
  /** Called once when the listener has gone, ended by either side. */
  readonly onClose: (listen: () => void) => void
}

/** Makes a listener that reads `opening` first. */
export function createEventListener(opening: readonly Uint8Array[]): EventListener {
  const waiting: Uint8Array[] = [...opening]
  let wake: (() => void) | undefined
  let reason: string | undefined
  let isGone = false
  let onGone: () => void = () => undefined

  const leave = () => {
    if (isGone) return
    isGone = true
    onGone()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Nothing to send and not ended: the reader waits here.
        while (waiting.length === 0 && reason === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        if (waiting.length > 0) controller.enqueue(concatBytes(...waiting.splice(0)))
        else controller.close()
      },
      cancel: leave,
    },
    { highWaterMark: 1 },
  )
  const close = (why: string) => {
    if (reason !== undefined) return
    reason = why
    waiting.push(encodeUtf8(formatComment(why)))
    leave()
    wake?.()
  }
  return {
    body,
    close,
    offer(bytes) {
      if (isGone) return
      if (waiting.length >= capacity) {
        waiting.length = 0
        close(`closed: ${capacity} events were waiting and were not read`)
        return
      }
      waiting.push(bytes)
      wake?.()
    },
    onClose(listen) {
      onGone = listen
    },
  }
}
