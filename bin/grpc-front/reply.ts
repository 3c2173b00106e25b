/** The answer to one native gRPC call: messages, then trailers, on a stream that its client may leave at any time. */

import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import { encodeFrame, encodeStatusMessage, type Status } from '#proto-json/index.ts'
import { after } from './connection-age.ts'

/**
 * Begins an answer. Nothing is sent before the first message, so that an error can be trailers only.
 *
 * @param readWithinMs - milliseconds after which a client that does not read what it was sent is given up.
 */
export function createReply(stream: ServerHttp2Stream, contentType: string, readWithinMs: number) {
  const head = { ':status': 200, 'content-type': contentType, 'grpc-accept-encoding': 'identity' }
  let isEnded = false
  // Writes fail once the client is gone; `forward` acts on the close that follows.
  stream.on('error', () => {})

  const isOpen = () => !isEnded && !stream.destroyed && !stream.closed

  const awaitReader = (event: 'drain' | 'wantTrailers') => {
    const timer = after(readWithinMs, () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM))
    for (const end of [event, 'close']) stream.once(end, () => clearTimeout(timer))
  }

  const finish = (trailers: OutgoingHttpHeaders) => {
    if (!isOpen()) return
    isEnded = true
    if (stream.headersSent) {
      stream.once('wantTrailers', () => {
        stream.sendTrailers(trailers)
        resetLater(stream)
      })
      stream.end()
      awaitReader('wantTrailers')
    } else {
      stream.respond({ ...head, ...trailers }, { endStream: true })
      resetLater(stream)
    }
  }

  return {
    /** False once the answer has ended or the client has left. */
    isOpen,
    /** Sends one message; false when the client has not read those before, and the next should wait for `whenDrained`. */
    message(payload: Uint8Array): boolean {
      if (!isOpen()) return true
      if (!stream.headersSent) stream.respond(head, { waitForTrailers: true })
      const isRead = stream.write(encodeFrame(0, payload))
      if (!isRead) awaitReader('drain')
      return isRead
    },
    /** Calls back once the client has read what was sent. */
    whenDrained: (resume: () => void): void => void stream.once('drain', resume),
    /** Ends with a status, as trailers only when there was no message. */
    end: ({ code, message }: Status): void =>
      finish({
        'grpc-status': String(code),
        ...(message === '' ? {} : { 'grpc-message': encodeStatusMessage(message) }),
      }),
    /** Ends with trailers as the service wrote them. */
    endWithTrailers: (trailers: ReadonlyMap<string, string>): void => finish(sendable(trailers)),
  }
}

/** Parts of an answer to the client, in their order; after the end all are ignored. */
export type Reply = ReturnType<typeof createReply>

/** Sends a message; nothing more is read of its source until the client has read what it was sent. */
export function passMessage(payload: Uint8Array, reply: Reply, source: Readable): void {
  if (reply.message(payload)) return
  source.pause()
  reply.whenDrained(() => source.resume())
}

/** Stops a client that still sends, with RST_STREAM, once no trailers are queued (RFC 9113 section 8.1). */
function resetLater(stream: ServerHttp2Stream): void {
  const reset = () => {
    if (!stream.readableEnded && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR)
  }
  const timer = setTimeout(reset, trailersLeaveMs)
  stream.once('close', () => clearTimeout(timer))
}

/** Milliseconds in which trailers are written to the socket. */
const trailersLeaveMs = 100

/** Headers of one connection, which HTTP/2 does not have. */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'te',
])

/** Leaves out trailers that HTTP/2 cannot carry: Node throws at them, and no service may end the front. */
function sendable(trailers: ReadonlyMap<string, string>): OutgoingHttpHeaders {
  const names = [...trailers].filter(
    ([name, value]) => /^[a-z0-9_.-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value) && !connectionHeaders.has(name),
  )
  return Object.fromEntries(names)
}
