/** A request's body as octets or text, never more of it than allowed. */

import { joinBytes } from '#base/bytes.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The reason why a body is not text: more bytes than allowed, or bytes that are not UTF-8. */
export type BodyFault = 'too_large' | 'not_utf8'

type BodyText = { readonly text: string } | { readonly fault: BodyFault }

/**
 * Bytes of a body beyond its bound that are read and not kept, so that the client gets to see the refusal: the
 * runtime closes the connection of a request whose body it has not read, and a client that still sends finds a
 * broken connection in place of its answer.
 */
const discardedBytes = 16 * 1024 * 1024

/**
 * Reads a body, keeping no more of it than allowed.
 *
 * The rest of a body that is too long is read and discarded, up to 16 MiB. A byte order mark stays in the text, for
 * the parser to refuse.
 *
 * @param maxBytes - the longest body that is read, in bytes.
 */
export async function readText(request: Request, maxBytes: number): Promise<BodyText> {
  return decodeBody(await readBytes(request, maxBytes))
}

/** The text of a body as `readBytes` gives it; null is one that was too long. */
export function decodeBody(bytes: ArrayBuffer | Uint8Array | null): BodyText {
  if (bytes === null) return { fault: 'too_large' }
  try {
    return { text: decoder.decode(bytes) }
  } catch {
    return { fault: 'not_utf8' }
  }
}

/** Reads a body as it is, within the same bound; null when it is longer. */
export function readBytes(request: Request, maxBytes: number): Promise<ArrayBuffer | Uint8Array | null> {
  const declared = request.headers.get('content-length')
  // A body of known length is read at once; `request.body` would make a stream of it.
  if (declared !== null && Number(declared) <= maxBytes) return request.arrayBuffer()
  return request.body === null ? Promise.resolve(new Uint8Array()) : readCounting(request.body, maxBytes)
}

async function readCounting(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the stream, so nothing beyond both bounds is read.
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maxBytes + discardedBytes) return null
    if (length <= maxBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  return length > maxBytes ? null : joinBytes(chunks)
}
