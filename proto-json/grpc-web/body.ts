/** Bodies: read whole within a bound, written as a stream. */

import { joinBytes } from '#base/bytes.ts'
import { ProtoJsonError } from '../errors.ts'

/** Reads a whole body; message_too_large, in words of `maxMessageBytes`, when it is longer than `maxBytes`. */
export async function readBody(
  source: Request | Response,
  maxBytes: number,
  maxMessageBytes = maxBytes,
): Promise<Uint8Array> {
  const announced = source.headers.get('content-length')
  if (announced !== null) {
    if (!(Number(announced) <= maxBytes)) throw tooLarge(maxMessageBytes)
    return new Uint8Array(await source.arrayBuffer())
  }
  if (source.body === null) return new Uint8Array(0)
  return readStream(source.body.getReader(), maxBytes, maxMessageBytes)
}

async function readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  maxMessageBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    chunks.push(step.value)
    length += step.value.length
    if (length > maxBytes) {
      await reader.cancel()
      throw tooLarge(maxMessageBytes)
    }
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : joinBytes(chunks)
}

function tooLarge(maxMessageBytes: number): ProtoJsonError {
  return new ProtoJsonError(
    'message_too_large',
    `Cannot read message: it is too long, expected at most ${maxMessageBytes} bytes`,
  )
}

/** Wraps bytes into a stream without `content-length`: a zone adds native trailers behind the body. */
export function toStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  if (typeof IdentityTransformStream === 'function') return toPipe(bytes, new IdentityTransformStream())
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

/** The runtime's own pipe, present in Workers: reading from it runs no JavaScript. */
declare const IdentityTransformStream: (new () => TransformStream<Uint8Array, Uint8Array>) | undefined

function toPipe(
  bytes: Uint8Array,
  { readable, writable }: TransformStream<Uint8Array, Uint8Array>,
): ReadableStream<Uint8Array> {
  const writer = writable.getWriter()
  // Not awaited, because they end when the answer has been read; a reader that left is not an error.
  writer.write(bytes).catch(ignore)
  writer.close().catch(ignore)
  return readable
}

function ignore(): void {}
