/** Carries a stream of quota assignments: an Envoy's gRPC stream on one side, a WebSocket to the service on the other. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { Agent, type Dispatcher, WebSocket } from 'undici'
import { errorStatus } from '../../proto-json/grpc-web/status.ts'
import {
  type BucketAction,
  createFrameDecoder,
  decodeReports,
  encodeActions,
  ProtoJsonError,
  quotaStreamPath,
  type Status,
  statusCodes,
} from '../../proto-json/index.ts'
import type { HeldCall, Intake } from './intake.ts'
import { createReply, type Reply } from './reply.ts'

/** Where the service takes WebSockets. */
export interface QuotaUpstream {
  /** Such as `http://127.0.0.1:8080`; its host is not asked where there is a socket. */
  readonly url: string
  /** Path of a UNIX socket to connect to instead. */
  readonly socketPath?: string
}

/** What a stream is held to. */
export interface QuotaBounds {
  readonly maxMessageBytes: number
  /** Milliseconds within which the first message has come. */
  readonly messageWithinMs: number
}

/** A stream whose client reads nothing for so long, in milliseconds, is ended: what is late must not be obeyed. */
const stalledMs = 1_000
/** Characters of reports that wait for the service at most, before and after its socket has opened. */
const mostWaiting = 1_048_576

/** Carries streams to one service. */
export interface QuotaCarrier {
  carry(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, intake: Intake): void
  close(): void
}

/** Makes the carrier of a service. */
export function createQuotaCarrier(upstream: QuotaUpstream, bounds: QuotaBounds): QuotaCarrier {
  const dispatcher = new Agent(
    upstream.socketPath === undefined ? {} : { connect: { socketPath: upstream.socketPath } },
  )
  return {
    carry: (stream, headers, intake) => carry(stream, headers, { upstream, bounds, intake, dispatcher }),
    close: () => void dispatcher.destroy(),
  }
}

interface Way {
  readonly upstream: QuotaUpstream
  readonly bounds: QuotaBounds
  readonly intake: Intake
  readonly dispatcher: Dispatcher
}

function carry(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, way: Way): void {
  const reply = createReply(stream, headers['content-type'] ?? 'application/grpc')
  let socket: WebSocket | null = null
  let send: ((text: string) => void) | null = null
  const end = (outcome: Status) => {
    reply.end(outcome)
    socket?.close()
  }
  const held = way.intake.enter(end)
  const silence = setTimeout(end, way.bounds.messageWithinMs, {
    code: statusCodes.DEADLINE_EXCEEDED,
    message: `Cannot open stream: no report came within ${way.bounds.messageWithinMs} ms`,
  })
  stream.once('close', () => {
    clearTimeout(silence)
    held.leave()
    socket?.close()
  })
  const decoder = createFrameDecoder(way.bounds.maxMessageBytes)
  stream.on('data', (chunk: Buffer) => {
    if (!reply.isOpen()) return
    try {
      for (const { flags, payload } of decoder.push(chunk)) {
        if (flags !== 0)
          throw new ProtoJsonError('compressed_message', 'Cannot read message: it is compressed')
        const { domain, usages } = decodeReports(payload)
        socket ??= open(domain, headers, { way, reply, held, silence, end })
        send ??= createSender(socket, end)
        send(JSON.stringify(usages))
      }
    } catch (error) {
      end(statusOf(error))
    }
  })
  stream.on('end', () => end({ code: statusCodes.OK, message: '' }))
}

interface Opening {
  readonly way: Way
  readonly reply: Reply
  readonly held: HeldCall
  readonly silence: NodeJS.Timeout
  readonly end: (outcome: Status) => void
}

function open(domain: string, headers: IncomingHttpHeaders, call: Opening): WebSocket {
  const { way, reply, held, silence, end } = call
  clearTimeout(silence)
  held.complete()
  const url = new URL(`${way.upstream.url.replace(/^http/, 'ws').replace(/\/$/, '')}${quotaStreamPath}`)
  url.searchParams.set('domain', domain)
  const { authorization } = headers
  const socket = new WebSocket(url, {
    dispatcher: way.dispatcher,
    ...(authorization !== undefined && { headers: { authorization } }),
  })
  const opening = setTimeout(end, way.bounds.messageWithinMs, {
    code: statusCodes.UNAVAILABLE,
    message: `Cannot carry stream: the service did not open it within ${way.bounds.messageWithinMs} ms`,
  })
  socket.addEventListener('open', () => clearTimeout(opening))
  let stalled: NodeJS.Timeout | undefined
  socket.addEventListener('message', ({ data }) => {
    if (!reply.isOpen()) return
    const isRead = reply.message(encodeActions(JSON.parse(String(data)) as readonly BucketAction[])) // ours
    if (isRead || stalled !== undefined) return
    stalled = setTimeout(end, stalledMs, {
      code: statusCodes.RESOURCE_EXHAUSTED,
      message: `Cannot go on: the client has read nothing for ${stalledMs} ms`,
    })
    reply.whenDrained(() => {
      clearTimeout(stalled)
      stalled = undefined
    })
  })
  socket.addEventListener('close', ({ code, reason }) => {
    clearTimeout(opening)
    clearTimeout(stalled)
    reply.end(statusOfClose(code, reason))
  })
  socket.addEventListener('error', () => reply.end(unreachable))
  return socket
}

/** Sends reports, in order; those that come before the socket is open wait for it. Too many of them end the stream. */
function createSender(socket: WebSocket, end: (outcome: Status) => void): (text: string) => void {
  const early: string[] = []
  let earlyLength = 0
  socket.addEventListener('open', () => {
    for (const text of early.splice(0)) socket.send(text)
  })
  return (text) => {
    const isOpen = socket.readyState === WebSocket.OPEN
    if (!isOpen && socket.readyState !== WebSocket.CONNECTING) return
    if ((isOpen ? socket.bufferedAmount : earlyLength) + text.length > mostWaiting) {
      end({
        code: statusCodes.RESOURCE_EXHAUSTED,
        message: 'Cannot go on: the service does not take reports',
      })
    } else if (isOpen) socket.send(text)
    else {
      early.push(text)
      earlyLength += text.length
    }
  }
}

const unreachable: Status = {
  code: statusCodes.UNAVAILABLE,
  message: 'Cannot carry stream: the service was not reached or the connection was lost',
}

/** The service closes with 4000 and the gRPC status; any other close is a lost connection. */
function statusOfClose(code: number, reason: string): Status {
  const known = Object.values(statusCodes).find((status) => status === code - 4_000)
  return known === undefined ? unreachable : { code: known, message: reason }
}

function statusOf(error: unknown): Status {
  if (!(error instanceof ProtoJsonError)) {
    return { code: statusCodes.INTERNAL, message: 'Cannot carry stream: the front has failed' }
  }
  return { code: errorStatus[error.code], message: error.message }
}
