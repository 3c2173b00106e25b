/** Forwards one native gRPC call as gRPC-Web, knowing no message: frames in, frames out, trailers last. */

import type { ClientRequest, OutgoingHttpHeaders } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import {
  formatTimeout,
  parseTimeout,
  type Status,
  type StatusName,
  statusCodes,
  unknownMethodText,
} from '../../proto-json/index.ts'
import { passAnswer } from './answer.ts'
import type { HeldCall, Intake } from './intake.ts'
import { createReply, type Reply } from './reply.ts'
import type { Upstream } from './upstream.ts'

/** Bounds on one call. */
export interface CallBounds {
  /** The longest message, in either direction, in bytes. */
  readonly maxMessageBytes: number
  /** How long a client may take to send its message, in milliseconds, independent of its own deadline. */
  readonly messageWithinMs: number
  /** How long the service may take to begin its answer, in milliseconds, independent of the caller's own deadline. */
  readonly answerWithinMs: number
}

/** What every call of a front goes through. */
export interface Way {
  readonly upstream: Upstream
  readonly intake: Intake
  readonly bounds: CallBounds
  /** Paths of the methods that are forwarded; every other call is UNIMPLEMENTED (12). */
  readonly methods: readonly string[]
}

const frameHeaderBytes = 5

/**
 * Forwards one call and always answers it: a service that is gone, silent or senseless becomes a status,
 * a client that leaves takes its request to the service with it.
 */
export function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, way: Way): void {
  const contentType = headers['content-type'] ?? ''
  if (headers[':method'] !== 'POST') refuse(stream, 405)
  else if (!contentType.startsWith('application/grpc')) refuse(stream, 415)
  else forwardCall(stream, headers, contentType, way)
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
  way: Way,
): void {
  const { bounds, methods } = way
  const reply = createReply(stream, contentType)
  const path = headers[':path'] ?? ''
  const webType = webTypes.get(contentType.split(';', 1)[0] ?? '')
  const deadline = readDeadline(headers)
  if (!methods.includes(path)) {
    reply.end(status('UNIMPLEMENTED', unknownMethodText(path, methods)))
    return
  }
  if (webType === undefined) {
    reply.end(unknownContentType(contentType, [...webTypes.keys()]))
    return
  }
  if (typeof deadline === 'object') {
    reply.end(deadline)
    return
  }
  const call = createCall(reply, way)
  stream.once('close', call.abandon)
  if (deadline < Number.POSITIVE_INFINITY) {
    call.endIn(
      deadline - performance.now(),
      status('DEADLINE_EXCEEDED', 'Cannot answer call: its deadline has passed'),
    )
  }
  call.held.hold(headerBytes(headers))
  const unsent = `Cannot read message: it is not complete after ${bounds.messageWithinMs} ms`
  const slowness = call.endIn(bounds.messageWithinMs, status('DEADLINE_EXCEEDED', unsent))
  collectBody(stream, { ...call, maxMessageBytes: bounds.maxMessageBytes }, (body) => {
    clearTimeout(slowness)
    call.send(path, upstreamHeaders(headers, webType, body.length, deadline), body)
  })
}

/** The status of a call in a content type that is not one of those known. */
export function unknownContentType(contentType: string, known: readonly string[]): Status {
  const shown = JSON.stringify(contentType.slice(0, 60))
  return status(
    'UNIMPLEMENTED',
    `Cannot read call: its content type is ${shown}, expected ${known.join(', ')}`,
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
  { held, isOpen, end, maxMessageBytes }: RunningCall & { readonly maxMessageBytes: number },
  done: (body: Buffer) => void,
): void {
  let chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    if (!isOpen()) {
      chunks = []
      return
    }
    length += chunk.length
    chunks.push(ownBytes(chunk))
    if (length <= maxMessageBytes + frameHeaderBytes) held.hold(chunk.length)
    else end(status('RESOURCE_EXHAUSTED', `Cannot read message: it is longer than ${maxMessageBytes} bytes`))
  })
  stream.on('end', () => {
    held.complete()
    if (isOpen()) done(Buffer.concat(chunks))
  })
  stream.once('close', () => {
    chunks = []
  })
}

/** A small chunk may be a view of all that was read at once; it is copied, so that it holds no more than itself. */
function ownBytes(chunk: Buffer): Buffer {
  return chunk.buffer.byteLength > 4 * chunk.length + 4096 ? Buffer.from(chunk) : chunk
}

/** Bytes of header fields, which are held as long as their call. */
function headerBytes(headers: IncomingHttpHeaders): number {
  let bytes = 0
  for (const name in headers) bytes += name.length + (headers[name]?.length ?? 0)
  return bytes
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

/** One call on its way; the first event that ends it releases everything it holds. */
interface RunningCall {
  readonly held: HeldCall
  /** False once the call is over. */
  isOpen(): boolean
  end(outcome: Status): void
  /** Ends the call with a status unless it is over before the delay, in milliseconds. */
  endIn(delayMs: number, outcome: Status): NodeJS.Timeout
  send(path: string, headers: OutgoingHttpHeaders, body: Buffer): void
  /** Gives the call up: timers stop, and a request that still runs is cancelled. */
  abandon(): void
}

/** The longest delay that a timer takes, in milliseconds. */
export const longestDelayMs = 2 ** 31 - 1

function createCall(reply: Reply, { upstream, intake, bounds }: Way): RunningCall {
  const { maxMessageBytes, answerWithinMs } = bounds
  const timers: NodeJS.Timeout[] = []
  let running: ClientRequest | null = null
  let held: HeldCall | null = null

  const abandon = () => {
    for (const timer of timers) clearTimeout(timer)
    held?.leave()
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
  held = intake.enter(end)

  return {
    held,
    isOpen: reply.isOpen,
    end,
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
