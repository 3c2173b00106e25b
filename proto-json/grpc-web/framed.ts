/** gRPC-Web, binary and text: frames in both directions, the status in a trailers frame, HTTP 200 throughout. */

import { encodeBase64 } from '#base/base64.ts'
import { ProtoJsonError } from '../errors.ts'
import { decodeBase64Text } from './base64-text.ts'
import { toStream } from './body.ts'
import { supportedMediaTypes } from './content-type.ts'
import { answerHeaders } from './cors.ts'
import { type Dialect, type Exchange, onlyMessage, type StreamEnd } from './dialect.ts'
import { compressedFlag, decodeFrames, encodeFrame, frameHeaderLength, trailersFlag, writeFrame } from './frame.ts'
import { ok, type Status } from './status.ts'
import { encodeTrailersFrame } from './trailer.ts'

/** Coding of bytes in the body, the one difference of the two variants. */
interface BodyCoding {
  readonly read: (body: Uint8Array) => Uint8Array
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>
}

const binary: BodyCoding = { read: (body) => body, write: (bytes) => bytes }

const text: BodyCoding = {
  read: (body) => decodeBase64Text(new TextDecoder().decode(body)),
  // Copied, because the platforms' types differ in what an encoder gives.
  write: (bytes) => new Uint8Array(new TextEncoder().encode(encodeBase64(bytes))),
}

/** `application/grpc-web`, in protobuf or JSON. */
export const grpcWeb: Dialect = framed(binary)

/** `application/grpc-web-text`. */
export const grpcWebText: Dialect = framed(text)

const okTrailers = encodeTrailersFrame(ok)

function framed(requestCoding: BodyCoding): Dialect {
  return {
    readMessage(body, maxBytes) {
      const bytes = requestCoding.read(body)
      assertFramed(bytes)
      return onlyMessage(decodeFrames(bytes, maxBytes))
    },
    answer: (message, exchange) =>
      respond(toBody(chooseCoding(exchange).write(answerBody(message)), exchange), exchange),
    answerStream: (messages, exchange, end) => respond(frames(messages, chooseCoding(exchange), end), exchange),
    fail: (status, exchange) =>
      respond(toBody(chooseCoding(exchange).write(encodeTrailersFrame(status)), exchange), exchange),
  }
}

/** A bare message would be read as a frame of an absurd length, which says nothing of what was wrong. */
function assertFramed(body: Uint8Array): void {
  const flags = body[0] ?? 0
  if (flags <= compressedFlag || flags >= trailersFlag) return
  throw new ProtoJsonError(
    'malformed_message',
    `Cannot read message: the body begins with byte ${flags}, expected a frame: 0, the length in four bytes, the message`,
  )
}

/** A message and the trailers of a call that went well. */
function answerBody(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(frameHeaderLength + message.length + okTrailers.length)
  writeFrame(body, 0, message)
  body.set(okTrailers, frameHeaderLength + message.length)
  return body
}

function chooseCoding({ media }: Exchange): BodyCoding {
  return media.protocol === 'grpc-web-text' ? text : binary
}

/** Made once: copying finished headers costs half of reading them from an object. */
const plainHeaders = headersByType({})
/** A field costs some hundredths of a decision, so only pages are sent what only pages read. */
const pageHeaders = headersByType(answerHeaders)

function headersByType(fields: Readonly<Record<string, string>>): ReadonlyMap<string, Headers> {
  return new Map(supportedMediaTypes.map((type) => [type, new Headers({ ...fields, 'content-type': type })]))
}

function toBody(bytes: Uint8Array<ArrayBuffer>, { form }: Exchange): BodyInit {
  return form === 'whole' ? bytes : toStream(bytes)
}

function respond(body: BodyInit, { media, isFromPage }: Exchange): Response {
  const headers = isFromPage ? pageHeaders : plainHeaders
  return new Response(body, { headers: headers.get(media.answer) ?? {} })
}

function frames(
  messages: AsyncIterable<Uint8Array>,
  { write }: BodyCoding,
  end: StreamEnd,
): ReadableStream<Uint8Array> {
  const source = messages[Symbol.asyncIterator]()
  const finish = (controller: ReadableStreamDefaultController<Uint8Array>, status: Status) => {
    controller.enqueue(write(encodeTrailersFrame(status)))
    controller.close()
  }
  return new ReadableStream({
    async pull(controller) {
      try {
        const step = await source.next()
        if (step.done === true) finish(controller, ok)
        else controller.enqueue(write(encodeFrame(0, step.value)))
      } catch (error) {
        finish(controller, end.statusOf(error))
      }
    },
    async cancel() {
      end.cancel()
      await source.return?.()
    },
  })
}
