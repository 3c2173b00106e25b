/** One protocol as `serve` needs it: how a request's body holds a message and how an answer looks. */

import { ProtoJsonError } from '../errors.ts'
import type { MediaType } from './content-type.ts'
import type { Status } from './status.ts'

/** Parts of a request that its answer must match. */
export interface Exchange {
  /** The media type of the answer. */
  readonly media: MediaType
  /** The request's content type, letter by letter. */
  readonly contentType: string
  /** The request's body; empty when it could not be read. */
  readonly body: Uint8Array
  /** True when a page of a browser asks, which needs CORS headers. */
  readonly isFromPage: boolean
  /** Form of a single answer where the protocol leaves it open. */
  readonly form: BodyForm
}

/** `streamed` has no content length, so that a network may turn it into native gRPC; `whole` costs less. */
export type BodyForm = 'streamed' | 'whole'

/** Translation of calls into HTTP by one protocol. */
export interface Dialect {
  /** Takes the one message out of a body: malformed_message, message_too_large or compressed_message otherwise. */
  readMessage(body: Uint8Array, maxBytes: number): Uint8Array
  /** Answers with one message. */
  answer(message: Uint8Array<ArrayBuffer>, exchange: Exchange): Response
  /** Answers with messages as they come; absent where the protocol knows single answers only. */
  readonly answerStream?: (messages: AsyncIterable<Uint8Array>, exchange: Exchange, end: StreamEnd) => Response
  fail(status: Status, exchange: Exchange): Response
}

/** End of a stream of answers. */
export interface StreamEnd {
  /** Turns what the source threw into a status. */
  statusOf(error: unknown): Status
  /** Is called when the reader has left. */
  cancel(): void
}

/** Takes the one uncompressed message out of frames: compressed_message or malformed_message otherwise. */
export function onlyMessage(frames: readonly { readonly flags: number; readonly payload: Uint8Array }[]): Uint8Array {
  const [frame] = frames
  if (frame === undefined || frames.length > 1) {
    throw new ProtoJsonError(
      'malformed_message',
      `Cannot read request: it holds ${frames.length} messages, expected one`,
    )
  }
  if (frame.flags === 0) return frame.payload
  if (frame.flags === 1) {
    throw new ProtoJsonError('compressed_message', 'Cannot read request: its message is compressed, expected identity')
  }
  throw new ProtoJsonError('malformed_message', `Cannot read request: its frame has flags ${frame.flags}, expected 0`)
}
