/** Forwards one native gRPC call as gRPC-Web without decoding a message: frames in, frames out, trailers last. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { shouldRateLimitPath, unknownMethodText } from '#proto-json/index.ts'
import { deadlinePassed, readDeadline } from './deadline.ts'
import { decideCall } from './decide.ts'
import { ownBytes } from './incoming.ts'
import { status, unknownContentType } from './refusal.ts'
import { createReply } from './reply.ts'
import { type CallContext, createCall, type RunningCall } from './running-call.ts'
import { headerBytes, upstreamHeaders } from './upstream-headers.ts'

const frameHeaderBytes = 5

/** Forwards one call and always answers it, with a status for any failure; a client that leaves cancels it. */
export function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, context: CallContext): void {
  const contentType = headers['content-type'] ?? ''
  if (headers[':method'] !== 'POST') refuse(stream, 405)
  else if (!contentType.startsWith('application/grpc')) refuse(stream, 415)
  else forwardCall(stream, headers, contentType, context)
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
  context: CallContext,
): void {
  const { methods } = context
  const reply = createReply(stream, contentType)
  const path = headers[':path'] ?? ''
  const webType = webTypes.get(contentType.split(';', 1)[0] ?? '')
  const deadline = readDeadline(headers)
  if (!methods.includes(path)) reply.end(status('UNIMPLEMENTED', unknownMethodText(path, methods)))
  else if (webType === undefined) reply.end(unknownContentType(contentType, [...webTypes.keys()]))
  else if (typeof deadline === 'object') reply.end(deadline)
  else {
    const call = createCall(reply, context)
    stream.once('close', call.abandon)
    if (deadline < Number.POSITIVE_INFINITY) call.endIn(deadline - performance.now(), deadlinePassed)
    call.held.hold(headerBytes(headers))
    readMessage(stream, call, context, (body) => {
      const deciding = path === shouldRateLimitPath ? (context.decider?.deciding() ?? null) : null
      if (deciding === null) call.send(path, upstreamHeaders(headers, { webType, length: body.length, deadline }), body)
      else if (deadline <= performance.now()) call.end(deadlinePassed)
      else {
        const isJson = webType.endsWith('json')
        void decideCall({ headers, isJson, body }, deciding, { answer: call.answer, fail: call.end })
      }
    })
  }
}

/** Calls back with the whole message, frame and all; ends a call whose message is too long or takes too long. */
function readMessage(
  stream: ServerHttp2Stream,
  call: RunningCall,
  { bounds: { maxMessageBytes, messageWithinMs } }: CallContext,
  done: (body: Buffer) => void,
): void {
  const slow = `Cannot read message: it is not complete after ${messageWithinMs} ms`
  const slowness = call.endIn(messageWithinMs, status('DEADLINE_EXCEEDED', slow))
  const long = `Cannot read message: it is longer than ${maxMessageBytes} bytes`
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
    else call.end(status('RESOURCE_EXHAUSTED', long))
  })
  stream.on('end', () => {
    call.held.complete()
    if (!call.isOpen()) return
    clearTimeout(slowness)
    done(Buffer.concat(chunks))
  })
  stream.once('close', () => {
    chunks = []
  })
}
