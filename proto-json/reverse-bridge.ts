/**
 * The HTTP/1.1 side of Envoy's `envoy.filters.http.grpc_http1_reverse_bridge`.
 *
 * The filter keeps the gRPC frame or, with `withhold_grpc_frames`, strips it from the request and puts one before
 * the answer. It compares the answer's content type letter by letter with the one it sent and makes the trailers
 * itself: HTTP 200 becomes `grpc-status: 0`, any other status the code that gRPC maps it to. A message of an error
 * has no way through. An answer with frames must not be empty, or the filter adds no trailers at all.
 */

import { connect } from './connect.ts'
import type { Dialect } from './grpc-web/dialect.ts'
import { onlyMessage } from './grpc-web/dialect.ts'
import { decodeFrames, encodeFrame } from './grpc-web/frame.ts'
import { encodeStatusMessage, type StatusCode, statusCodes, statusTable } from './grpc-web/status.ts'

/** The reverse bridge, with and without frames. */
export const reverseBridge: Dialect = {
  readMessage: (body, maxBytes) =>
    isFramed(body) ? onlyMessage(decodeFrames(body, maxBytes)) : connect.readMessage(body, maxBytes),
  answer: (message, { contentType, body }) =>
    new Response(isFramed(body) ? encodeFrame(0, message) : message, { headers: { 'content-type': contentType } }),
  fail: ({ code, message }, { contentType, body }) =>
    // Of a body that was not read only the content type tells: gRPC's own is that of frames.
    new Response(
      isFramed(body) || (body.length === 0 && isGrpc(contentType)) ? encodeFrame(0, new Uint8Array(0)) : null,
      {
        status: statusTable[code].bridgeHttp,
        headers: {
          'content-type': contentType,
          'x-grpc-message': encodeStatusMessage(message + nativeHint(code, contentType)),
        },
      },
    ),
}

/** Hint for bytes in gRPC's content type that are not a message: mostly a client sends native gRPC. */
function nativeHint(code: StatusCode, contentType: string): string {
  const isNative = code === statusCodes.INVALID_ARGUMENT && isGrpc(contentType)
  return isNative ? '; native gRPC is answered by the gRPC front, on port 8081 of npm start' : ''
}

function isGrpc(contentType: string): boolean {
  return contentType.toLowerCase().startsWith('application/grpc')
}

/** Tells whether a body starts with a gRPC frame, whose flags, 0 or 1, would be the field number 0 of a message. */
export function isFramed(body: Uint8Array): boolean {
  return body.length > 0 && (body[0] ?? 0) <= 1
}
