/** Answers one native gRPC call: decides it in the front where the decider may, else forwards its frame as gRPC-Web. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { shouldRateLimitPath, unknownMethodText } from '#proto-json/index.ts'
import { deadlinePassed, readDeadline } from './deadline.ts'
import { decideCall } from './decide.ts'
import { ownBytes } from './incoming.ts'
import { status, unknownContentType } from './refusal.ts'
import { createReply } from './reply.ts'
import { type CallBounds, type CallContext, createCall, type RunningCall } from './running-call.ts'
import { headerBytes, upstreamHeaders } from './upstream-headers.ts'

const frameHeaderBytes = 5

/** Answers one call, with a status for any failure; a client that leaves cancels it. */
export function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, context: CallContext): void {
  const contentType = headers['content-type'] ?? ''
  if (headers[':method'] !== 'POST') refuse(stream, 405)
  else if (!contentType.startsWith('application/grpc')) refuse(stream, 415)
  else answerCall(stream, headers, contentType, context)
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

function answerCall(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  contentType: string,
  context: CallContext,
): void {
  const { methods, bounds } = context
  const reply = createReply(stream, contentType, bounds.messageWithinMs)
  const path = headers[':path'] ?? ''
  if (!methods.includes(path)) {
    reply.end(status('UNIMPLEMENTED', unknownMethodText(path, methods)))
    return
  }
  const webType = webTypes.get(contentType.split(';', 1)[0] ?? '')
  if (webType === undefined) {
    reply.end(unknownContentType(contentType, [...webTypes.keys()]))
    return
  }
  const deadline = readDeadline(headers)
  if (typeof deadline === 'object') {
    reply.end(deadline)
    return
  }
  const call = createCall(reply, context)
  stream.once('close', call.abandon)
  if (deadline < Number.POSITIVE_INFINITY) call.endIn(deadline - performance.now(), deadlinePassed)
  call.held.hold(headerBytes(headers))
  readMessage(stream, call, bounds, (body) => answerMessage({ path, headers, webType, deadline, body }, call, context))
}

interface ReadCall {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly webType: string
  /** Milliseconds of the monotonic clock; Infinity for none. */
  readonly deadline: number
  /** The message with its frame. */
  readonly body: Buffer
}

function answerMessage(
  { path, headers, webType, deadline, body }: ReadCall,
  call: RunningCall,
  { decider }: CallContext,
): void {
  const ready = path === shouldRateLimitPath ? (decider?.ready() ?? null) : null
  if (ready === null) {
    call.send(path, upstreamHeaders(headers, { webType, length: body.length, deadline }), body)
    return
  }
  if (deadline <= performance.now()) {
    call.end(deadlinePassed)
    return
  }
  const isJson = webType.endsWith('json')
  void decideCall({ headers, isJson, body }, ready, { answer: call.answer, fail: call.end })
}

/** Calls back with the whole message, frame and all; ends a call whose message is too long or takes too long. */
function readMessage(
  stream: ServerHttp2Stream,
  call: RunningCall,
  { maxMessageBytes, messageWithinMs }: CallBounds,
  done: (body: Buffer) => void,
): void {
  const late = `Cannot read message: it is not complete after ${messageWithinMs} ms`
  const tooLong = `Cannot read message: it is longer than ${maxMessageBytes} bytes`
  const timer = call.endIn(messageWithinMs, status('DEADLINE_EXCEEDED', late))
  let chunks: Buffer[] = []
  let length = 0
  stream.on('data', (chunk: Buffer) => {
    if (!call.isOpen()) {
      chunks = []
      return
    }
    length += chunk.length
    chunks.push(ownBytes(chunk))
    if (length <= maxMessageBytes + frameHeaderBytes) call.held.hold(chunk.length)
    else call.end(status('RESOURCE_EXHAUSTED', tooLong))
  })
  stream.on('end', () => {
    call.held.complete()
    if (!call.isOpen()) return
    clearTimeout(timer)
    done(Buffer.concat(chunks))
  })
  stream.once('close', () => {
    chunks = []
  })
}
