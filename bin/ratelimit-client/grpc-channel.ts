/** A native gRPC client over one HTTP/2 connection, for unary calls. */

import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2'
import { messageOf, reasonOf } from '#base/errors.ts'
import {
  decodeFrames,
  encodeFrame,
  type Status,
  statusCodes,
  statusOfHttp,
  statusOfTrailers,
} from '#proto-json/index.ts'

/** Result of a call; `message` is null unless the status is OK. */
interface GrpcAnswer {
  readonly status: Status
  readonly message: Uint8Array | null
}

/** PEM texts for a connection over TLS. */
export interface ChannelTls {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

/** The longest answer that is read, in bytes. */
const maxMessageBytes = 4 * 1024 * 1024

/** Opens a connection to `host:port`, by default port 443. The first call waits for it, and says why it failed. */
export function openChannel(target: string, tls: ChannelTls | null, metadata: Readonly<Record<string, string>> = {}) {
  const authority = target.replace(/^dns:\/\/\//, '')
  if (!/^(\[[0-9a-fA-F:.]+\]|[^\s:/@?#[\]]+)(:\d{1,5})?$/.test(authority)) {
    throw new TypeError(`Cannot connect: "${target}" is not an address, expected host:port`)
  }
  const address = /:\d+$/.test(authority) ? authority : `${authority}:443`
  const options: SecureClientSessionOptions = tls === null ? {} : { ...tls, ALPNProtocols: ['h2'] }
  const session = connect(`${tls === null ? 'http' : 'https'}://${address}`, options)
  let failure: Error | null = null
  session.on('error', (error) => {
    failure = error
  })
  return {
    /** Calls a unary method. Never throws: a connection that fails is UNAVAILABLE (14). */
    call: (path: string, message: Uint8Array) =>
      callOn(session, { ...metadata, ':path': path }, message, () => failure),
    close: () => session.close(),
  }
}

function callOn(
  session: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  message: Uint8Array,
  failure: () => Error | null,
): Promise<GrpcAnswer> {
  const unavailable = (error: Error | null): GrpcAnswer => ({
    message: null,
    status: {
      code: statusCodes.UNAVAILABLE,
      message: `connection error: ${error === null ? 'the connection was closed' : reasonOf(error)}`,
    },
  })
  if (session.closed || session.destroyed) return Promise.resolve(unavailable(failure()))
  const stream = session.request({
    ...headers,
    ':method': 'POST',
    'content-type': 'application/grpc',
    te: 'trailers',
    'user-agent': 'sluice-ratelimit-client',
  })
  stream.end(encodeFrame(0, message))
  return new Promise((resolve) => {
    stream.on('error', (error) => resolve(unavailable(failure() ?? error)))
    collect(stream, (headers, body, trailers) => {
      resolve(headers === null ? unavailable(failure()) : readAnswer(headers, body, trailers))
    })
  })
}

/** Calls back with everything that has come once the stream is closed; null for headers and trailers that did not come. */
function collect(
  stream: ClientHttp2Stream,
  done: (headers: IncomingHttpHeaders | null, body: Buffer, trailers: IncomingHttpHeaders | null) => void,
): void {
  const chunks: Buffer[] = []
  let headers: IncomingHttpHeaders | null = null
  let trailers: IncomingHttpHeaders | null = null
  stream.on('response', (received) => {
    headers = received
  })
  stream.on('trailers', (received) => {
    trailers = received
  })
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('close', () => done(headers, Buffer.concat(chunks), trailers))
}

function readAnswer(headers: IncomingHttpHeaders, body: Buffer, trailers: IncomingHttpHeaders | null): GrpcAnswer {
  const from = trailers?.['grpc-status'] === undefined ? headers : trailers
  const status = statusOfTrailers({ get: (name) => from[name]?.toString() })
  const httpStatus = Number(headers[':status'])
  if (status === null) {
    const code = httpStatus === 200 ? statusCodes.INTERNAL : statusOfHttp(httpStatus)
    return { message: null, status: { code, message: `the answer has HTTP status ${httpStatus} and no grpc-status` } }
  }
  if (status.code !== statusCodes.OK) return { message: null, status }
  return readMessage(body)
}

function readMessage(body: Buffer): GrpcAnswer {
  try {
    const [frame, ...others] = decodeFrames(body, maxMessageBytes)
    if (frame?.flags === 0 && others.length === 0) {
      return { status: { code: statusCodes.OK, message: '' }, message: frame.payload }
    }
    return malformed('it does not hold exactly one plain message')
  } catch (error) {
    return malformed(messageOf(error))
  }
}

function malformed(state: string): GrpcAnswer {
  return { message: null, status: { code: statusCodes.INTERNAL, message: `cannot read answer: ${state}` } }
}
