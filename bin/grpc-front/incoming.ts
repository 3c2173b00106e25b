/** Messages of a call that has many: what is unfinished is held within the bounds on all calls, and not for ever. */

import type { ServerHttp2Stream } from 'node:http2'
import { type Frame, frameHeaderLength } from '#proto-json/grpc-web/frame.ts'
import { ok } from '#proto-json/grpc-web/status.ts'
import { createFrameDecoder, ProtoJsonError, type Status } from '#proto-json/index.ts'
import type { HeldCall } from './intake.ts'
import { status, statusOfError } from './refusal.ts'
import type { Reply } from './reply.ts'

interface IncomingOptions {
  readonly held: HeldCall
  /** The longest message, in bytes. */
  readonly maxBytes: number
  /** Milliseconds from the first byte of a message to its last. */
  readonly withinMs: number
  /** True when the call keeps its place between two messages; others are ended to make room. */
  readonly isKept: boolean
  readonly end: (outcome: Status) => void
}

/** Begins without a message. */
export function createIncoming({ held, maxBytes, withinMs, isKept, end }: IncomingOptions) {
  const slow = `Cannot read message: it is not complete after ${withinMs} ms`
  let decoder = createFrameDecoder(maxBytes)
  let unfinished = 0
  let slowness: NodeJS.Timeout | undefined

  function finish(bytes: number): void {
    if (bytes === 0) return
    clearTimeout(slowness)
    slowness = undefined
    held.release(bytes)
    if (isKept) held.complete()
  }

  return {
    /** Gives the messages that the next bytes complete; message_too_large once a longer one is announced. */
    push(chunk: Buffer): readonly Frame[] {
      const frames = decoder.push(ownBytes(chunk))
      const taken = frames.reduce((sum, { payload }) => sum + frameHeaderLength + payload.length, 0)
      unfinished += chunk.length - taken
      held.hold(chunk.length)
      finish(taken)
      if (unfinished > 0 && slowness === undefined) {
        held.begin()
        slowness = setTimeout(end, withinMs, status('DEADLINE_EXCEEDED', slow))
      }
      return frames
    },
    /** Notes that the client has ended; malformed_message when it ended inside a message. */
    end: (): void => decoder.end(),
    /** Stops the clock and lets go of what is unfinished. */
    close(): void {
      clearTimeout(slowness)
      decoder = createFrameDecoder(maxBytes)
    },
  }
}

/** Takes the bytes of a call as they come. */
export type Incoming = ReturnType<typeof createIncoming>

/** A small chunk may be a view of all that was read at once; it is copied, so that it holds no more than itself. */
export function ownBytes(chunk: Buffer): Buffer {
  return chunk.buffer.byteLength > 4 * chunk.length + 4096 ? Buffer.from(chunk) : chunk
}

interface MessageReader {
  /** Begins the message of an error. */
  readonly action: string
  readonly take: (message: Uint8Array) => void
  readonly end: (outcome: Status) => void
}

/** Takes the messages of a call while its reply is open; what goes wrong with one is the status of the call. */
export function readMessages(
  stream: ServerHttp2Stream,
  reply: Reply,
  incoming: Incoming,
  { action, take, end }: MessageReader,
): void {
  const orEnd = (act: () => void) => {
    try {
      if (reply.isOpen()) act()
    } catch (error) {
      end(statusOfError(error, action))
    }
  }
  stream.on('data', (chunk: Buffer) =>
    orEnd(() => {
      for (const frame of incoming.push(chunk)) take(readMessage(frame))
    }),
  )
  stream.on('end', () =>
    orEnd(() => {
      incoming.end()
      end(ok)
    }),
  )
}

/** Reads the message of a frame; compressed_message where it is compressed. */
function readMessage({ flags, payload }: Frame): Uint8Array {
  if (flags !== 0) throw new ProtoJsonError('compressed_message', 'Cannot read message: it is compressed')
  return payload
}
