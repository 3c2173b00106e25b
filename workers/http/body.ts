/** A request's body as octets or text, never more of it than allowed. */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why a body could not be read as text: more bytes than allowed, or bytes that are not UTF-8. */
export type BodyFault = 'too_large' | 'not_utf8'

/**
 * Reads a body, stopping as soon as it is too long.
 *
 * A declared length beyond the bound is refused unread; a body without a declared length is counted while it is
 * read. A byte order mark stays in the text, for the parser to refuse.
 *
 * @param maxBytes - the longest body that is read, in bytes.
 */
export async function readText(
  request: Request,
  maxBytes: number,
): Promise<{ readonly text: string } | { readonly fault: BodyFault }> {
  const bytes = await readBytes(request, maxBytes)
  if (bytes === null) return { fault: 'too_large' }
  try {
    return { text: decoder.decode(bytes) }
  } catch {
    return { fault: 'not_utf8' }
  }
}

/** Reads a body as it is, within the same bound; null when it is longer. */
export async function readBytes(
  request: Request,
  maxBytes: number,
): Promise<ArrayBuffer | Uint8Array | null> {
  const declared = request.headers.get('content-length')
  // Asked for last: a body whose length is known is read without making a stream of it.
  if (declared !== null) return Number(declared) > maxBytes ? null : request.arrayBuffer()
  return request.body === null ? new Uint8Array() : readCounting(request.body, maxBytes)
}

async function readCounting(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop cancels the stream, so nothing beyond the bound is read.
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > maxBytes) return null
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** Reads what is left of a body and keeps nothing of it: a client that is still sending would not see the answer. */
export async function discardBody({ body, bodyUsed }: Pick<Request, 'body' | 'bodyUsed'>): Promise<void> {
  if (!bodyUsed) await body?.pipeTo(new WritableStream()).catch(() => undefined)
}
