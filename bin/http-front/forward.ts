/** Forwards one request to the runtime and its answer back, each as fast as the other side reads. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { Dispatcher } from 'undici'
import { gather, linger, streamBody } from './body.ts'
import { requestFields, responseFields } from './headers.ts'
import { refuse } from './refuse.ts'
import type { Target } from './target.ts'
import type { Upstream, UpstreamConnection } from './upstream.ts'

/**
 * A body up to this many bytes is sent on when it is whole: one write, and no connection that waits for a slow client.
 *
 * When a Worker answers without having read the body, the runtime reads up to 64 KiB of it and keeps the connection;
 * it closes one with a longer body right after the answer. So only the connections of these bodies are used again.
 */
export const gatheredBytes = 32 * 1024

/** A request as it is forwarded. */
export interface Forwarded extends Target {
  /** Fields that the front sets on the way to the runtime, names in lower case. */
  readonly fields: Readonly<Record<string, string>>
  /** Called when the runtime has answered, before the client gets any of it. */
  readonly onAnswer?: () => void
}

/** Forwards a request. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { authority, path, fields, onAnswer }: Forwarded,
  upstream: Upstream,
): void {
  // As the platform does: the field tells the client's address, and a client cannot set it.
  const own = { ...fields, 'cf-connecting-ip': request.socket.remoteAddress ?? '' }
  const headers = requestFields(request.rawHeaders, authority, own)
  const send = (body: Buffer | PassThrough | null, take = upstream.take) => {
    if (response.destroyed) return
    const connection = take()
    if (connection === null) {
      refuse(response, 503, 'Cannot forward the request: too many are running, expected one to end first')
      return
    }
    // The library's type lists the usual methods; it sends any token.
    const method = request.method as Dispatcher.HttpMethod
    const again = isSafe(request) && body === null && connection.isReused ? () => send(null, upstream.takeNew) : null
    exchange({ request, response }, connection, { method, path, headers, body }, { again, onAnswer })
  }
  const length = Number(request.headers['content-length'] ?? 0)
  if (request.headers['transfer-encoding'] !== undefined || length > gatheredBytes) send(streamBody(request))
  else if (length === 0) send(null)
  else gather(request, send)
}

/** Checks that a request whose connection was lost may be sent again: its method is safe (RFC 9110, 9.2.2). */
function isSafe({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

interface Client {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Turns {
  /** Sends the request again when the connection is lost before an answer; null where that is an error. */
  readonly again: (() => void) | null
  readonly onAnswer: (() => void) | undefined
}

function exchange(
  { request, response }: Client,
  connection: UpstreamConnection,
  options: Dispatcher.DispatchOptions,
  { again, onAnswer }: Turns,
): void {
  let running: Dispatcher.DispatchController | null = null
  let isOver = false
  const left = () => new Error('the client has left')

  response.once('close', () => {
    if (isOver) return
    // Whether or not the request has been begun: closing its connection tells the runtime that no client waits.
    isOver = true
    running?.abort(left())
    connection.discard()
  })
  connection.client.dispatch(options, {
    onRequestStart(controller) {
      running = controller
      if (isOver) controller.abort(left())
    },
    onResponseStart(controller, status, headers, statusMessage) {
      if (status < 200) return
      connection.answered()
      onAnswer?.()
      begin(controller, response, { status, statusMessage, fields: responseFields(headers) })
    },
    onResponseData(controller, chunk) {
      if (response.destroyed || response.write(chunk)) return
      controller.pause()
      response.once('drain', () => controller.resume())
    },
    onResponseEnd() {
      if (isOver) return
      isOver = true
      if (options.body instanceof PassThrough) connection.discard()
      else connection.release()
      response.end()
      if (!request.complete) linger(request)
    },
    onResponseError(_, error) {
      if (isOver) return
      isOver = true
      connection.discard()
      if (again !== null && isCut(error) && !response.headersSent) return again()
      const { status, state } = failure(error)
      refuse(response, status, `Cannot reach the service: ${state}`)
      // Otherwise the client waits to send the rest of its body, and so does its next request.
      if (!request.complete) linger(request)
    },
  })
}

interface Head {
  readonly status: number
  readonly statusMessage: string | undefined
  readonly fields: ReturnType<typeof responseFields>
}

/** Writes the head of an answer; one whose body does not come along with it leaves at once. */
function begin(
  controller: Dispatcher.DispatchController,
  response: ServerResponse,
  { status, statusMessage, fields }: Head,
): void {
  if (response.destroyed) return
  try {
    response.writeHead(status, statusMessage || undefined, fields)
  } catch (error) {
    controller.abort(error instanceof Error ? error : new Error(String(error)))
    return
  }
  process.nextTick(() => {
    if (!response.writableEnded && !response.destroyed) response.flushHeaders()
  })
}

function failure(error: Error): { readonly status: number; readonly state: string } {
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return { status: 504, state: 'it did not answer in time' }
  if (code === 'ECONNREFUSED' || code === 'ENOENT') {
    return { status: 503, state: 'it does not run, expected it to be started again in a moment' }
  }
  return { status: 502, state: isCut(error) ? 'it closed the connection before it answered' : code }
}

function isCut(error: Error): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error))
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name
}
