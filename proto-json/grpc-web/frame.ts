/**
 * The five-byte framing that gRPC and gRPC-Web share.
 *
 * ```
 * offset  width  order       meaning
 *      0      1              flags: 0x01 compressed, 0x80 trailers
 *      1      4  big-endian  length of the payload in bytes
 *      5      n              payload
 * ```
 *
 * Source: gRPC `PROTOCOL-HTTP2.md` (Length-Prefixed-Message) and `PROTOCOL-WEB.md`.
 */

import { ProtoJsonError } from '../errors.ts'
import { createByteQueue } from './byte-queue.ts'

/** Bytes before every payload. */
export const frameHeaderLength = 5

/** The flag of a compressed payload. */
export const compressedFlag = 0x01

/** The flag of a payload that holds trailers instead of a message. */
export const trailersFlag = 0x80

/** One frame. */
export interface Frame {
  readonly flags: number
  readonly payload: Uint8Array
}

/** Puts the header before a payload. */
export function encodeFrame(flags: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(frameHeaderLength + payload.length)
  writeFrame(frame, flags, payload)
  return frame
}

/** Writes a header and its payload to the beginning of a buffer that is long enough. */
export function writeFrame(target: Uint8Array, flags: number, payload: Uint8Array): void {
  const { length } = payload
  // Byte by byte: a `DataView` would cost more than the whole frame.
  target[0] = flags
  target[1] = length >>> 24
  target[2] = (length >>> 16) & 0xff
  target[3] = (length >>> 8) & 0xff
  target[4] = length & 0xff
  target.set(payload, frameHeaderLength)
}

/** Creates a decoder that takes a body apart as its bytes arrive, and keeps at most one incomplete frame. */
export function createFrameDecoder(maxBytes: number) {
  const queue = createByteQueue()
  /** The header of a frame whose payload is not complete. */
  let header: Uint8Array | null = null

  function next(): Frame | null {
    if (header === null) {
      if (queue.length < frameHeaderLength) return null
      header = queue.take(frameHeaderLength)
    }
    const length = payloadLength(header)
    assertLength(length, maxBytes)
    if (queue.length < length) return null
    const frame = { flags: header[0] ?? 0, payload: queue.take(length) }
    header = null
    return frame
  }

  return {
    /** Takes the next bytes and returns the frames that they complete; message_too_large once a header says so. */
    push(chunk: Uint8Array): readonly Frame[] {
      queue.push(chunk)
      const frames: Frame[] = []
      for (let frame = next(); frame !== null; frame = next()) frames.push(frame)
      return frames
    },
    /** Notes that the body is over; malformed_message when it ended inside a frame. */
    end(): void {
      if (header !== null || queue.length > 0) throw truncated()
    },
  }
}

/** Takes a whole body apart; message_too_large and malformed_message as of the decoder. */
export function decodeFrames(body: Uint8Array, maxBytes: number): readonly Frame[] {
  const frames: Frame[] = []
  let offset = 0
  while (offset < body.length) {
    if (body.length - offset < frameHeaderLength) throw truncated()
    const start = offset + frameHeaderLength
    const length = payloadLength(body, offset)
    assertLength(length, maxBytes)
    if (body.length - start < length) throw truncated()
    frames.push({ flags: body[offset] ?? 0, payload: body.subarray(start, start + length) })
    offset = start + length
  }
  return frames
}

/** Reads the length out of the header that begins at `offset`. */
function payloadLength(bytes: Uint8Array, offset = 0): number {
  const byte = (at: number) => bytes[offset + at] ?? 0
  return ((byte(1) << 24) | (byte(2) << 16) | (byte(3) << 8) | byte(4)) >>> 0
}

function assertLength(length: number, maxBytes: number): void {
  if (length <= maxBytes) return
  throw new ProtoJsonError(
    'message_too_large',
    `Cannot read message: it is ${length} bytes long, expected at most ${maxBytes}`,
  )
}

function truncated(): ProtoJsonError {
  return new ProtoJsonError('malformed_message', 'Cannot read message: the body ends in the middle of a frame')
}
