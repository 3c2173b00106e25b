/** Refusals of WebSockets. */

import { decodeUtf8, writeUtf8 } from '#base/utf8.ts'

/** The bytes of a close reason (RFC 6455 section 5.5). */
const mostReasonBytes = 123

/** A WebSocket that closes at once: a client of WebSockets sees nothing of an HTTP answer. */
export function refuseSocket(code: number, reason: string): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.close(code, closeReason(reason))
  return new Response(null, { status: 101, webSocket: client })
}

/** As much of a text as a close can carry: the platform throws at more bytes, and a caller's words may be any. */
export function closeReason(text: string): string {
  const bytes = new Uint8Array(mostReasonBytes)
  return decodeUtf8(bytes.subarray(0, writeUtf8(text, bytes)))
}
