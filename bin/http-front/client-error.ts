/** The answer to octets that are not a request of HTTP/1.1. */

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionState } from './connections.ts'
import { refuse } from './refuse.ts'

/** Time for the client of a refused connection to read the answer, in milliseconds. */
const readWithinMs = 1000

/** Answers what the parser refused, as plainly as the state of the connection lets it, and closes the connection. */
export function refuseClient(
  error: NodeJS.ErrnoException,
  socket: Socket,
  { isBusy, isAnswered, unanswered }: ConnectionState,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
  else if (unanswered !== undefined) {
    const [status, message] = chooseRefusal(error.code)
    // Else the connection would wait for the rest of a body that cannot be read.
    unanswered.shouldKeepAlive = false
    refuse(unanswered, status, message)
  } else if (isBusy) socket.destroy()
  // It has an answer, which still has to leave.
  else if (isAnswered) socket.destroySoon()
  else {
    socket.end(error.code === 'HPE_PAUSED_H2_UPGRADE' || isHttp2(error) ? goAway() : writeAnswer(error.code))
    socket.resume()
    setTimeout(() => socket.destroy(), readWithinMs).unref()
  }
}

const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Cannot read the request: its target and headers are longer than the bound'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Cannot read the request: its chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Cannot read the request: it was not whole in time'],
}

function chooseRefusal(code = ''): readonly [status: number, message: string] {
  return refusals[code] ?? [400, 'Cannot read the request: it is not HTTP/1.1']
}

function writeAnswer(code?: string): string {
  const [status, message] = chooseRefusal(code)
  const body = `${message}\n`
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

/** Tells whether the client began with the preface of HTTP/2, as one of native gRPC does. */
function isHttp2(error: Error): boolean {
  return 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) && error.rawPacket.indexOf('PRI * HTTP/2') === 0
}

/** Empty SETTINGS, then GOAWAY with HTTP_1_1_REQUIRED and a text for people (RFC 9113, 6.5 and 6.8). */
function goAway(): Buffer {
  const text = Buffer.from('this port speaks HTTP/1.1: native gRPC has a separate port')
  const frame = Buffer.alloc(9 + 9 + 8)
  // The type SETTINGS of an empty frame.
  frame[3] = 4
  // The length and the type GOAWAY of the frame behind it, the last stream 0, and the error code.
  frame.writeUIntBE(8 + text.length, 9, 3)
  frame[12] = 7
  frame.writeUInt32BE(0x0d, 22)
  return Buffer.concat([frame, text])
}
