/** Answers calls over HTTP: gRPC-Web (binary, JSON, text), Connect and Envoy's reverse bridge, for any methods. */

import { connect } from '../connect.ts'
import { ProtoJsonError } from '../errors.ts'
import { reverseBridge } from '../reverse-bridge.ts'
import { readBody } from './body.ts'
import { answerMediaType, type Protocol, parseMediaType, supportedMediaTypes } from './content-type.ts'
import { answerHeaders, preflightHeaders } from './cors.ts'
import type { BodyForm, Dialect, Exchange } from './dialect.ts'
import { grpcWeb, grpcWebText } from './framed.ts'
import { callStreaming, callUnary, findMethod, type MethodTable } from './method.ts'
import { errorStatus, type Status, statusCodes } from './status.ts'
import { parseConnectTimeout, parseTimeout } from './timeout.ts'

/** The options of `serve`. */
export interface ServeOptions {
  /** The path of the request, where the caller has found it already; read from its URL when absent. */
  readonly path?: string
  /** The longest message that is accepted, in bytes; 4 MiB as in gRPC when absent. */
  readonly maxMessageBytes?: number
  /** Paths of all methods, for the error of an unknown one; it names none when absent. */
  readonly paths?: readonly string[]
  /** Form of single answers over gRPC-Web; `streamed` when absent. */
  readonly form?: BodyForm
  /** Checks the caller of a method that exists, before the body is read; it throws what `statusOf` takes. */
  readonly admit?: () => void
  /** Turns what a method threw into a status; null or absent: UNKNOWN without a word about the cause. */
  readonly statusOf?: (error: unknown) => Status | null
}

const dialects: Readonly<Record<Protocol, Dialect>> = {
  'grpc-web': grpcWeb,
  'grpc-web-text': grpcWebText,
  connect,
  'reverse-bridge': reverseBridge,
}

/**
 * Answers one request. Never throws: a failure becomes the error of the protocol that the request speaks.
 *
 * The protocol is the content type's, the method is the path's. gRPC-Web answers are HTTP 200, streamed unless
 * `form` says otherwise, with the status in the trailers frame; Connect and the reverse bridge answer with an HTTP
 * status. OPTIONS is answered as a preflight request, another method than POST with 405, an unknown content type
 * with 415.
 *
 * ```ts
 * const methods = rateLimitMethods((request, call) => shouldRateLimit(request, context))
 * return serve(request, methods, { statusOf: (error) => table[error.code] })
 * ```
 *
 * @param request - Only its path chooses the method.
 * @param methods - Methods by path; an unknown path is UNIMPLEMENTED (12).
 */
export async function serve(request: Request, methods: MethodTable, options: ServeOptions = {}): Promise<Response> {
  const { method } = request
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: preflightHeaders })
  if (method !== 'POST') {
    const text = `Cannot call method: the HTTP method is ${method}, expected POST\n`
    return refuse(405, text, { allow: 'POST, OPTIONS' })
  }
  const contentType = request.headers.get('content-type')
  const media = parseMediaType(contentType)
  if (contentType === null || media === null) {
    const known = supportedMediaTypes.join(', ')
    const shown = contentType === null ? 'missing' : JSON.stringify(contentType.slice(0, 60))
    const text = `Cannot read call: its content type is ${shown}, expected one of ${known}\n`
    return refuse(415, text, { 'accept-post': known })
  }
  return answerCall(request, methods, { media, contentType }, options)
}

function refuse(status: number, text: string, headers: Readonly<Record<string, string>>): Response {
  return new Response(text, { status, headers: { ...answerHeaders, ...headers } })
}

const nothing = new Uint8Array(0)

async function answerCall(
  request: Request,
  methods: MethodTable,
  { media, contentType }: Pick<Exchange, 'media' | 'contentType'>,
  options: ServeOptions,
): Promise<Response> {
  const { maxMessageBytes = 4 * 1024 * 1024, path = new URL(request.url).pathname, form = 'streamed' } = options
  const dialect = dialects[media.protocol]
  const statusOf = (error: unknown) => statusOfError(error, options)
  const accept = media.protocol === 'grpc-web' ? request.headers.get('accept') : null
  const answerMedia = answerMediaType(media, accept)
  const isFromPage = request.headers.has('origin')
  let exchange: Exchange = { media: answerMedia, contentType, body: nothing, isFromPage, form }
  try {
    const method = findMethod(methods, path, options.paths ?? [])
    options.admit?.()
    const timeoutMs = readTimeout(request.headers, media.protocol)
    const body = await readBody(request, longestBody(maxMessageBytes), maxMessageBytes)
    exchange = { ...exchange, body }
    const message = dialect.readMessage(body, maxMessageBytes)
    const answer = { request, message, format: media.format, timeoutMs }
    if (method.kind === 'unary') return dialect.answer(await callUnary(method, answer), exchange)
    if (dialect.answerStream === undefined) throw new ProtoJsonError('unknown_method', streamText(path))
    const { messages, cancel } = callStreaming(method, answer)
    return dialect.answerStream(messages, exchange, { statusOf, cancel })
  } catch (error) {
    return dialect.fail(statusOf(error), exchange)
  }
}

/** The longest body that holds such a message: base64 makes four characters of three bytes, and pads every flush. */
function longestBody(maxMessageBytes: number): number {
  return Math.ceil((maxMessageBytes + 1024) * (4 / 3))
}

function streamText(path: string): string {
  return `Cannot call method: ${path} answers with a stream, expected gRPC-Web, or native gRPC through the front`
}

function readTimeout(headers: Headers, protocol: Protocol): number | null {
  return protocol === 'connect'
    ? parseConnectTimeout(headers.get('connect-timeout-ms'))
    : parseTimeout(headers.get('grpc-timeout'))
}

function statusOfError(error: unknown, { statusOf }: ServeOptions): Status {
  if (error instanceof ProtoJsonError) return { code: errorStatus[error.code], message: error.message }
  return statusOf?.(error) ?? { code: statusCodes.UNKNOWN, message: 'internal error' }
}
