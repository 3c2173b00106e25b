/** Bodies of requests: read whole, passed on as a stream, or read and thrown away. */

import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'

/** Bytes that are still read and thrown away after an answer that did not wait for the request's end. */
const lingeringBytes = 16 * 1024 * 1024

/** Calls back with the whole body; its length is the caller's to bound. */
export function gather(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
}

/** Reads a whole body as text; null when it is longer than `maxBytes`, or the client leaves. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let length = 0
    const take = (piece: Buffer) => {
      length += piece.length
      pieces.push(piece)
      if (length <= maxBytes) return
      request.off('data', take)
      // A client sees its refusal only once it has sent its body.
      linger(request)
      resolve(null)
    }
    request.on('data', take)
    request.once('end', () => resolve(Buffer.concat(pieces).toString()))
    request.once('close', () => resolve(null))
  })
}

/** Passes a body on as a separate stream: the library destroys the one it is given, and with it would go the connection. */
export function streamBody(request: IncomingMessage): PassThrough {
  const body = new PassThrough()
  body.on('error', () => {})
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the client has left'))
  })
  return request.pipe(body)
}

/** Reads on for a while after an early answer, which a client that still sends would otherwise not get to see. */
export function linger(request: IncomingMessage): void {
  let bytes = 0
  request.unpipe()
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > lingeringBytes) request.destroy()
  })
  request.resume()
}
