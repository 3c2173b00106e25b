/** Calls a unary method over gRPC-Web: the other direction of `serve`. */

import { encodeBase64 } from '#base/base64.ts'
import { ProtoJsonError } from '#proto-json/errors.ts'
import { decodeBase64Text } from '#proto-json/grpc-web/base64-text.ts'
import { readBody } from '#proto-json/grpc-web/body.ts'
import { parseMediaType } from '#proto-json/grpc-web/content-type.ts'
import { compressedFlag, decodeFrames, encodeFrame, trailersFlag } from '#proto-json/grpc-web/frame.ts'
import { type Status, statusCodes, statusOfHttp, statusTable } from '#proto-json/grpc-web/status.ts'
import { formatTimeout } from '#proto-json/grpc-web/timeout.ts'
import { decodeTrailers, statusOfTrailers } from '#proto-json/grpc-web/trailer.ts'

/** One call. */
export interface UnaryCall {
  /** Address of the service, such as `https://example.org`, without a slash at the end. */
  readonly baseUrl: string
  /** Such as `/grpc.health.v1.Health/Check`. */
  readonly path: string
  /** The message's bytes, in the format that `contentType` says. */
  readonly message: Uint8Array
  /** One of the gRPC-Web types; `application/grpc-web+proto` when absent. */
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Longest wait for the answer, in milliseconds; none when absent. */
  readonly timeoutMs?: number
  /** The longest answer that is accepted, in bytes; 4 MiB when absent. */
  readonly maxMessageBytes?: number
}

/** Result of a call; `message` is null unless the status is OK. */
export interface UnaryAnswer {
  readonly status: Status
  readonly message: Uint8Array | null
}

/**
 * Calls a unary method. Never throws: a network that fails is UNAVAILABLE (14), a deadline that passes is
 * DEADLINE_EXCEEDED (4), an answer that cannot be decoded is INTERNAL (13).
 *
 * @param send - The network, normally `fetch`.
 */
export async function callUnary(send: typeof fetch, call: UnaryCall): Promise<UnaryAnswer> {
  const { contentType = 'application/grpc-web+proto', maxMessageBytes = 4 * 1024 * 1024 } = call
  const isText = parseMediaType(contentType)?.protocol === 'grpc-web-text'
  const frame = encodeFrame(0, call.message)
  const signal = call.timeoutMs === undefined ? null : AbortSignal.timeout(call.timeoutMs)
  try {
    const response = await send(call.baseUrl + call.path, {
      method: 'POST',
      body: isText ? encodeBase64(frame) : frame,
      headers: { ...call.headers, ...requestHeaders(contentType, call.timeoutMs) },
      signal,
    })
    const body = await readBody(response, Math.ceil((maxMessageBytes + 64 * 1024) * (4 / 3)))
    return readAnswer(response, body, maxMessageBytes)
  } catch (error) {
    return { message: null, status: failure(error) }
  }
}

function requestHeaders(contentType: string, timeoutMs: number | undefined): Record<string, string> {
  const headers = { 'content-type': contentType, accept: contentType, 'x-grpc-web': '1' }
  return timeoutMs === undefined ? headers : { ...headers, 'grpc-timeout': formatTimeout(timeoutMs) }
}

function readAnswer(response: Response, body: Uint8Array, maxMessageBytes: number): UnaryAnswer {
  const media = parseMediaType(response.headers.get('content-type'))
  const inHeaders = statusOfTrailers(response.headers)
  if (inHeaders !== null && body.length === 0) return { status: inHeaders, message: null }
  if (media === null || !media.protocol.startsWith('grpc-web'))
    return { message: null, status: foreign(response, body) }
  const bytes = media.protocol === 'grpc-web-text' ? decodeBase64Text(new TextDecoder().decode(body)) : body
  return readFrames(bytes, maxMessageBytes)
}

function readFrames(bytes: Uint8Array, maxMessageBytes: number): UnaryAnswer {
  let message: Uint8Array | null = null
  let status: Status | null = null
  for (const { flags, payload } of decodeFrames(bytes, maxMessageBytes)) {
    if ((flags & compressedFlag) !== 0) throw malformed('a frame is compressed, expected identity')
    if ((flags & trailersFlag) !== 0) status = statusOfTrailers(decodeTrailers(payload))
    else if (message === null && status === null) message = payload
    else throw malformed('it has more than one message')
  }
  if (status === null) throw malformed('it has no status')
  if (status.code !== statusCodes.OK) return { status, message: null }
  if (message === null) throw malformed('it is OK without a message')
  return { status, message }
}

/** The status of an answer that is not gRPC-Web: that of Connect's error, which says more than HTTP's, or of HTTP. */
function foreign(response: Response, body: Uint8Array): Status {
  const connectError = readConnectError(new TextDecoder().decode(body.subarray(0, 64 * 1024)))
  if (connectError !== null) return connectError
  const code = response.ok ? statusCodes.UNKNOWN : statusOfHttp(response.status)
  return { code, message: `Cannot read answer: HTTP status ${response.status} without gRPC-Web content` }
}

function malformed(state: string): ProtoJsonError {
  return new ProtoJsonError('malformed_message', `Cannot read answer: ${state}`)
}

function failure(error: unknown): Status {
  if (error instanceof ProtoJsonError) {
    const isLarge = error.code === 'message_too_large'
    return { code: isLarge ? statusCodes.RESOURCE_EXHAUSTED : statusCodes.INTERNAL, message: error.message }
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { code: statusCodes.DEADLINE_EXCEEDED, message: 'Cannot call method: the deadline has passed' }
  }
  const state = error instanceof Error ? error.message : 'the network failed'
  return { code: statusCodes.UNAVAILABLE, message: `Cannot call method: ${state}` }
}

/** Reads Connect's error JSON; null when the body is something else. */
export function readConnectError(text: string): Status | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof body !== 'object' || body === null || !('code' in body)) return null
  const code = Object.entries(statusTable).find(([, row]) => row.connect === body.code)?.[0]
  if (code === undefined) return null
  const message = 'message' in body && typeof body.message === 'string' ? body.message : ''
  // The key comes from the table of codes itself.
  return { code: Number(code) as Status['code'], message }
}
