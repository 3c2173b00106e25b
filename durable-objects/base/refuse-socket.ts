/** Refusals of WebSockets. */

/** A WebSocket that closes at once: a client of WebSockets sees nothing of an HTTP answer. */
export function refuseSocket(code: number, reason: string): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.close(code, reason)
  return new Response(null, { status: 101, webSocket: client })
}
