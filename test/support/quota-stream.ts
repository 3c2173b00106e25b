/** Streams of quota assignments over gRPC, as a client opens them. */

import { type ClientHttp2Stream, connect } from 'node:http2'
import { quotaStreamPath } from '#proto-json/index.ts'

/** An open stream. */
export interface QuotaStream {
  readonly stream: ClientHttp2Stream
  /** Ends the stream with its connection. */
  close(): void
}

/** End of a stream. */
export interface StreamEnd {
  /** The gRPC status code as text, such as `14`. */
  readonly code: string
  readonly message: string
}

/** Opens a stream to the front at a port of this machine. */
export function openQuotaStream(
  port: number,
  contentType = 'application/grpc',
  metadata: Readonly<Record<string, string>> = {},
): QuotaStream {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  const stream = session.request({
    ':method': 'POST',
    ':path': quotaStreamPath,
    'content-type': contentType,
    te: 'trailers',
    ...metadata,
  })
  stream.on('error', () => {})
  return { stream, close: () => session.destroy() }
}

/** Calls `take` with the status that ends a stream, in its headers or its trailers. */
export function onStreamEnd(stream: ClientHttp2Stream, take: (end: StreamEnd) => void): void {
  const read = (headers: Readonly<Record<string, unknown>>) => {
    const { 'grpc-status': code, 'grpc-message': message } = headers
    if (code !== undefined) take({ code: String(code), message: decodeURIComponent(String(message ?? '')) })
  }
  stream.on('response', read)
  stream.on('trailers', read)
}
