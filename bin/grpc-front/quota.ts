/** Carries streams of quota assignments: an Envoy's gRPC stream on one side, a WebSocket to the service on the other. */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { Agent, type Dispatcher, WebSocket } from 'undici'
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
import type { Intake } from './intake.ts'
import { status, statusOfError } from './refusal.ts'
import { createReply, type Reply } from './reply.ts'

/** Where the service takes WebSockets. */
export interface QuotaUpstream {
  /** Such as `http://127.0.0.1:8080`; where there is a socket, its host is not looked up. */
  readonly url: string
  /** Path of a UNIX socket to connect to instead. */
  readonly socketPath?: string
}

/** Bounds on one stream. */
export interface QuotaBounds {
  readonly maxMessageBytes: number
  /** Milliseconds within which the first message has come. */
  readonly messageWithinMs: number
}

/** Milliseconds after which a stream is ended whose client reads nothing: a late assignment must not come into force. */
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

/** What the streams of a carrier share. */
interface CarrierContext {
  readonly upstream: QuotaUpstream
  readonly bounds: QuotaBounds
  readonly intake: Intake
  readonly dispatcher: Dispatcher
}

function carry(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, context: CarrierContext): void {
  const { maxMessageBytes, messageWithinMs } = context.bounds
  const reply = createReply(stream, headers['content-type'] ?? 'application/grpc')
  let link: Link | null = null
  const end = (outcome: Status) => {
    reply.end(outcome)
    link?.close()
  }
  const held = context.intake.enter(end)
  const late = `Cannot open stream: no report came within ${messageWithinMs} ms`
  const silence = setTimeout(end, messageWithinMs, status('DEADLINE_EXCEEDED', late))
  stream.once('close', () => {
    clearTimeout(silence)
    held.leave()
    link?.close()
  })
  const openLink = (domain: string) => {
    clearTimeout(silence)
    held.complete()
    return createLink(connect(domain, headers, context), { reply, end, openWithinMs: messageWithinMs })
  }
  const decoder = createFrameDecoder(maxMessageBytes)
  stream.on('data', (chunk: Buffer) => {
    if (!reply.isOpen()) return
    try {
      for (const { flags, payload } of decoder.push(chunk)) {
        if (flags !== 0)
          throw new ProtoJsonError('compressed_message', 'Cannot read message: it is compressed')
        const { domain, usages } = decodeReports(payload)
        link ??= openLink(domain)
        link.send(JSON.stringify(usages))
      }
    } catch (error) {
      end(statusOfError(error, 'Cannot carry stream'))
    }
  })
  stream.on('end', () => end({ code: statusCodes.OK, message: '' }))
}

/** Opens a WebSocket to the service for a domain, with the caller's authorization. */
function connect(domain: string, headers: IncomingHttpHeaders, context: CarrierContext): WebSocket {
  const { upstream, dispatcher } = context
  const url = new URL(`${upstream.url.replace(/^http/, 'ws').replace(/\/$/, '')}${quotaStreamPath}`)
  url.searchParams.set('domain', domain)
  const { authorization } = headers
  return new WebSocket(url, {
    dispatcher,
    ...(authorization !== undefined && { headers: { authorization } }),
  })
}

/** The connection of one stream to the service. */
interface Link {
  /** Sends reports as JSON. */
  send(text: string): void
  close(): void
}

/** The side of the client, and how long the service may take to open its socket. */
interface LinkOptions {
  readonly reply: Reply
  readonly end: (outcome: Status) => void
  readonly openWithinMs: number
}

/** Passes the actions of the service to the client; the close of the socket is the end of the stream. */
function createLink(socket: WebSocket, { reply, end, openWithinMs }: LinkOptions): Link {
  const late = `Cannot carry stream: the service did not open it within ${openWithinMs} ms`
  const opening = setTimeout(end, openWithinMs, status('UNAVAILABLE', late))
  let stalled: NodeJS.Timeout | undefined
  socket.addEventListener('open', () => clearTimeout(opening))
  socket.addEventListener('message', ({ data }) => {
    if (!reply.isOpen()) return
    // The service is of this project: it writes nothing but actions.
    const actions = JSON.parse(String(data)) as readonly BucketAction[]
    if (reply.message(encodeActions(actions)) || stalled !== undefined) return
    stalled = setTimeout(end, stalledMs, unreadFor(stalledMs))
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
  return { send: createSender(socket, end), close: () => socket.close() }
}

function unreadFor(milliseconds: number): Status {
  return status('RESOURCE_EXHAUSTED', `Cannot go on: the client has read nothing for ${milliseconds} ms`)
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
      end(status('RESOURCE_EXHAUSTED', 'Cannot go on: the service does not take reports'))
    } else if (isOpen) socket.send(text)
    else {
      early.push(text)
      earlyLength += text.length
    }
  }
}

const unreachable = status(
  'UNAVAILABLE',
  'Cannot carry stream: the service was not reached or the connection was lost',
)

/** The service closes with 4000 and the gRPC status; any other close is a lost connection. */
function statusOfClose(code: number, reason: string): Status {
  const known = Object.values(statusCodes).find((status) => status === code - 4_000)
  return known === undefined ? unreachable : { code: known, message: reason }
}
