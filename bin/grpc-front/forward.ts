/** Forwards one native gRPC call as gRPC-Web, knowing no message: frames in, frames out, trailers last. */

import type { ClientRequest, OutgoingHttpHeaders } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import {
  formatTimeout,
  parseTimeout,
  type Status,
  type StatusName,
  statusCodes,
} from '../../proto-json/index.ts'
import { passAnswer } from './answer.ts'
import { createReply, type Reply } from './reply.ts'
import type { Upstream } from './upstream.ts'

/** Bounds on one call. */
export interface CallBounds {
  /** The longest message, in either direction, in bytes. */
  readonly maxMessageBytes: number
  /** How long the service may take to begin its answer, in milliseconds, whatever the caller's own deadline. */
  readonly answerWithinMs: number
}

const frameHeaderBytes = 5

/**
 * Forwards one call and answers it, whatever happens: a service that is gone, silent or senseless becomes a status,
 * a client that leaves takes its request to the service with it.
 */
export function forward(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  upstream: Upstream,
  bounds: CallBounds,
): void {
  const contentType = headers['content-type'] ?? ''
  if (headers[':method'] !== 'POST') refuse(stream, 405)
  else if (!contentType.startsWith('application/grpc')) refuse(stream, 415)
  else forwardCall(stream, headers, contentType, upstream, bounds)
}

/** Something that is not gRPC gets an HTTP status (gRPC `PROTOCOL-HTTP2.md`, "Requests"). */
function refuse(stream: ServerHttp2Stream, httpStatus: number): void {
  stream.on('error', () => {})
  stream.resume()
  if (!stream.destroyed) stream.respond({ ':status': httpStatus }, { endStream: true })
}

const webTypes: ReadonlyMap<string, string> = new Map([
  ['application/grpc', 'application/grpc-web+proto'],
  ['application/grpc+proto', 'application/grpc-web+proto'],
  ['application/grpc+json', 'application/grpc-web+json'],
])

function forwardCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  contentType: string,
  upstream: Upstream,
  bounds: CallBounds,
): void {
  const reply = createReply(stream, contentType)
  const webType = webTypes.get(contentType.split(';', 1)[0] ?? '')
  const deadline = readDeadline(headers)
  if (webType === undefined) {
    reply.end(status('UNIMPLEMENTED', 'Cannot forward call: unknown content type'))
    return
  }
  if (typeof deadline === 'object') {
    reply.end(deadline)
    return
  }
  const call = createCall(reply, upstream, bounds)
  stream.once('close', call.abandon)
  if (deadline < Number.POSITIVE_INFINITY) {
    call.endIn(
      deadline - performance.now(),
      status('DEADLINE_EXCEEDED', 'Cannot answer call: its deadline has passed'),
    )
  }
  collectBody(stream, bounds.maxMessageBytes, reply, (body) =>
    call.send(headers[':path'] ?? '/', upstreamHeaders(headers, webType, body.length, deadline), body),
  )
}

function status(name: StatusName, message: string): Status {
  return { code: statusCodes[name], message }
}

/** Milliseconds of the monotonic clock, Infinity without a deadline, or the status for a header that is broken. */
export function readDeadline({ 'grpc-timeout': text }: IncomingHttpHeaders): number | Status {
  try {
    return performance.now() + (parseTimeout(text?.toString() ?? null) ?? Number.POSITIVE_INFINITY)
  } catch (error) {
    return status('INVALID_ARGUMENT', error instanceof Error ? error.message : 'Cannot read grpc-timeout')
  }
}

function collectBody(
  stream: ServerHttp2Stream,
  maxMessageBytes: number,
  reply: Reply,
  done: (body: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxMessageBytes + frameHeaderBytes) chunks.push(chunk)
    else
      reply.end(
        status('RESOURCE_EXHAUSTED', `Cannot read message: it is longer than ${maxMessageBytes} bytes`),
      )
  })
  stream.on('end', () => {
    if (reply.isOpen()) done(Buffer.concat(chunks))
  })
}

/** Headers of the connection, and those that are written anew; every other one is metadata and goes through. */
const ownHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'te',
  'expect',
  'host',
  'content-length',
  'content-type',
  'accept',
  'accept-encoding',
  'grpc-accept-encoding',
  'grpc-timeout',
])

function upstreamHeaders(
  headers: IncomingHttpHeaders,
  webType: string,
  length: number,
  deadline: number,
): OutgoingHttpHeaders {
  const metadata = Object.entries(headers).filter(([name]) => !name.startsWith(':') && !ownHeaders.has(name))
  return {
    ...Object.fromEntries(metadata),
    'content-type': webType,
    'content-length': length,
    accept: webType,
    // The network in front of a Worker would compress, which frames are not made for.
    'accept-encoding': 'identity',
    'x-grpc-web': '1',
    ...(deadline === Number.POSITIVE_INFINITY
      ? {}
      : { 'grpc-timeout': formatTimeout(deadline - performance.now()) }),
  }
}

/** One call on its way; whatever ends it first releases everything it holds. */
interface RunningCall {
  /** Ends the call with a status unless it is over before the delay, in milliseconds. */
  endIn(delayMs: number, outcome: Status): NodeJS.Timeout
  send(path: string, headers: OutgoingHttpHeaders, body: Buffer): void
  /** Gives the call up: timers stop, and a request that still runs is cancelled. */
  abandon(): void
}

/** The longest delay that a timer takes, in milliseconds. */
export const longestDelayMs = 2 ** 31 - 1

function createCall(
  reply: Reply,
  upstream: Upstream,
  { maxMessageBytes, answerWithinMs }: CallBounds,
): RunningCall {
  const timers: NodeJS.Timeout[] = []
  let running: ClientRequest | null = null

  const abandon = () => {
    for (const timer of timers) clearTimeout(timer)
    running?.destroy()
    running = null
  }
  const end = (outcome: Status) => {
    reply.end(outcome)
    abandon()
  }
  const endIn = (delayMs: number, outcome: Status) => {
    const timer = setTimeout(end, Math.min(Math.max(0, delayMs), longestDelayMs), outcome)
    timers.push(timer)
    return timer
  }
  const unavailable = (state: string) => status('UNAVAILABLE', `Cannot reach service: ${state}`)

  return {
    endIn,
    abandon,
    send(path, headers, body) {
      const silence = endIn(answerWithinMs, unavailable(`it was silent for ${answerWithinMs} ms`))
      running = upstream.post(path, headers)
      running.on('error', (error: NodeJS.ErrnoException) => end(unavailable(error.code ?? error.message)))
      running.on('response', (response) => {
        clearTimeout(silence)
        // The connection goes back to the pool; cancelling the request from here on would take it away again.
        response.once('end', () => {
          running = null
        })
        passAnswer(response, reply, maxMessageBytes, end)
      })
      running.end(body)
    },
  }
}
