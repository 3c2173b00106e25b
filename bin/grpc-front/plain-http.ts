/** HTTP/1.x at a port that speaks HTTP/2 only: answered with a sentence, where an HTTP/2 server sends frames. */

import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import { after } from './connection-age.ts'

/** The beginning of an HTTP/2 connection (RFC 9113 section 3.4), which no request of HTTP/1.x has. */
const prefaceStart = Buffer.from('PRI * HTTP/2')

/** Milliseconds in which a client takes the answer before its connection is cut. */
const answerMs = 1_000

/** Options of a port that speaks HTTP/2 only. */
interface PlainHttpOptions {
  readonly isTls: boolean
  /** Milliseconds within which a client has sent its first bytes. */
  readonly prefaceWithinMs: number
  /** The place of HTTP, as the end of a sentence. */
  readonly httpPlace: string
}

/** Answers HTTP/1.x at a server of HTTP/2; gives the function that cuts connections too short to tell apart. */
export function answerPlainHttp(
  server: Http2Server,
  { isTls, prefaceWithinMs, httpPlace }: PlainHttpOptions,
): () => void {
  const answer = answerText(httpPlace)
  // A handshake of TLS has agreed on the protocol, or on none.
  server.on('unknownProtocol', (socket: Socket) => say(socket, answer))
  if (isTls) return () => {}
  const waiting = new Set<Socket>()
  const [accept] = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    waiting.add(socket)
    socket.once('close', () => waiting.delete(socket))
    readStart(socket, prefaceWithinMs, (start) => {
      waiting.delete(socket)
      if (socket.destroyed) return
      if (isRequest(start)) return say(socket, answer)
      // The server reads what is put back, and judges what is neither protocol.
      socket.unshift(start)
      accept?.call(server, socket)
    })
  })
  return () => {
    for (const socket of waiting) socket.destroy()
  }
}

/** Reads as many bytes as tell the protocols apart. */
function readStart(socket: Socket, withinMs: number, take: (start: Buffer) => void): void {
  let start = Buffer.alloc(0)
  const timer = after(withinMs, () => socket.destroy())
  const look = () => {
    // A socket without an encoding gives buffers.
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    start = Buffer.concat([start, chunk])
    const isOpen = start.length < prefaceStart.length && prefaceStart.subarray(0, start.length).equals(start)
    if (isOpen) return
    clearTimeout(timer)
    socket.off('readable', look)
    socket.off('error', ignore)
    take(start)
  }
  socket.on('readable', look)
  socket.on('error', ignore)
  socket.once('close', () => clearTimeout(timer))
}

/** A socket that fails closes by itself. */
function ignore(): void {}

/** Methods of HTTP are capital letters; a greeting of TLS begins with another byte. */
function isRequest(start: Buffer): boolean {
  const isPreface = start.subarray(0, prefaceStart.length).equals(prefaceStart)
  return !isPreface && /^[A-Z]/.test(start.toString('latin1', 0, 1))
}

function answerText(httpPlace: string): string {
  const body = `Cannot answer: this port speaks gRPC over HTTP/2 only, expected a gRPC client; HTTP is ${httpPlace}\n`
  return [
    'HTTP/1.1 400 Bad Request',
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

function say(socket: Socket, answer: string): void {
  socket.on('error', ignore)
  // What is left unread would reset the connection, and the answer with it.
  socket.resume()
  socket.end(answer)
  const timer = after(answerMs, () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
}
