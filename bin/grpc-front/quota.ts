/**
 * Quota streams at the front: names the Envoy that opens a gRPC stream, passes its reports to quota objects over
 * WebSockets, and passes their assignments back.
 */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { Agent, type Dispatcher, WebSocket } from 'undici'
import { decodeReports, encodeActions, quotaShardsPath, quotaStreamPath, type Status } from '#proto-json/index.ts'
import type { QuotaAction } from '#ratelimit/quota/messages.ts'
import { createIncoming, readMessages } from './incoming.ts'
import type { Intake } from './intake.ts'
import { createQuotaLink } from './quota-link.ts'
import { askShardCount, createQuotaShards, type QuotaShards } from './quota-shards.ts'
import { contentTypeProblem, status } from './refusal.ts'
import { createReply, type Reply } from './reply.ts'

/** Address at which the service takes WebSockets. */
export interface QuotaUpstream {
  /** Such as `http://127.0.0.1:8080`; where there is a socket, its host is not looked up. */
  readonly url: string
  /** Path of a UNIX socket to connect to instead. */
  readonly socketPath?: string
}

interface QuotaBounds {
  readonly maxMessageBytes: number
  /** Milliseconds for the first message, for each later one once it has begun, and for answers of the service. */
  readonly messageWithinMs: number
}

/** Milliseconds that a client may read nothing; then its stream ends: a late assignment must not come into force. */
const stalledMs = 1_000
/** Attempts in a row to reopen the socket of one shard while others go on: some 15 seconds. */
const mostReopenings = 8

/** Metadata by which an operator names an Envoy. */
const clientNameHeader = 'x-quota-client'

/** Creates the proxy of quota streams: each gRPC stream becomes one WebSocket per shard. */
export function createQuotaProxy(upstream: QuotaUpstream, bounds: QuotaBounds) {
  const dispatcher = new Agent(
    upstream.socketPath === undefined ? {} : { connect: { socketPath: upstream.socketPath } },
  )
  return {
    proxyStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, intake: Intake): void =>
      proxyStream(stream, headers, { upstream, bounds, intake, dispatcher }),
    close: (): void => void dispatcher.destroy(),
  }
}

/** The proxy of quota streams to one service. */
export type QuotaProxy = ReturnType<typeof createQuotaProxy>

interface ProxyContext {
  readonly upstream: QuotaUpstream
  readonly bounds: QuotaBounds
  readonly intake: Intake
  readonly dispatcher: Dispatcher
}

function proxyStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, context: ProxyContext): void {
  const contentType = headers['content-type'] ?? ''
  const reply = createReply(stream, contentType, context.bounds.messageWithinMs)
  const problem = contentTypeProblem(contentType)
  if (problem === null) openReports(stream, headers, reply, context)
  else reply.end(problem)
}

/** Passes reports to the service, and actions back, until the client ends or leaves the stream. */
function openReports(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  reply: Reply,
  context: ProxyContext,
): void {
  const { maxMessageBytes: maxBytes, messageWithinMs: withinMs } = context.bounds
  const end = (outcome: Status) => {
    reply.end(outcome)
    reports.close()
  }
  const actions = passActions(reply, end)
  const client = identifyClient(headers, stream.session?.socket?.remoteAddress)
  const reports = passReports({ ...context, headers, client, onActions: actions.pass, end })
  const place = context.intake.enter(end)
  // Between messages it is not ended to make room: a quota stream is idle most of the time.
  const incoming = createIncoming({ held: place, maxBytes, withinMs, isKept: true, end })
  stream.once('close', () => {
    incoming.close()
    place.leave()
    actions.close()
    reports.close()
  })
  const take = (message: Uint8Array) => reports.pass(decodeReports(message))
  readMessages(stream, reply, incoming, { action: 'Cannot carry stream', take, end })
}

interface StreamContext extends ProxyContext {
  readonly headers: IncomingHttpHeaders
  /** Fields of the query that say who opened the stream. */
  readonly client: Readonly<Record<string, string>>
  /** Takes the JSON text of actions. */
  readonly onActions: (text: string) => void
  readonly end: (outcome: Status) => void
}

/** Passes reports to the shards of their domain; without a first one in time the stream ends. */
function passReports(context: StreamContext) {
  const { messageWithinMs } = context.bounds
  const noReportMessage = `Cannot open stream: no report came within ${messageWithinMs} ms`
  const firstReportTimer = setTimeout(context.end, messageWithinMs, status('DEADLINE_EXCEEDED', noReportMessage))
  let shards: QuotaShards | null = null
  return {
    pass({ domain, usages }: ReturnType<typeof decodeReports>): void {
      clearTimeout(firstReportTimer)
      shards ??= openShards(domain, context)
      shards.send(usages)
    },
    close(): void {
      clearTimeout(firstReportTimer)
      shards?.close()
    },
  }
}

function openShards(domain: string, context: StreamContext): QuotaShards {
  const { upstream, dispatcher, client, onActions, end } = context
  const { messageWithinMs } = context.bounds
  const { authorization } = context.headers
  const headers = authorization === undefined ? {} : { authorization }
  return createQuotaShards({
    answerWithinMs: messageWithinMs,
    end,
    askShardCount: (signal) =>
      askShardCount(buildAddress(upstream, quotaShardsPath, { domain }), { headers, dispatcher, signal }),
    open(shard, shardCount) {
      const query = { domain, shard: String(shard), shards: String(shardCount), ...client }
      const url = buildAddress(upstream, quotaStreamPath, query)
      return createQuotaLink({
        connect: () => new WebSocket(url, { dispatcher, headers }),
        openWithinMs: messageWithinMs,
        // With one shard the stream ends with its socket: it has no other.
        mostReopenings: shardCount === 1 ? 0 : mostReopenings,
        take: onActions,
        end,
      })
    },
  })
}

/** Tells who opened a stream, so that its Envoy is known again: by the name of its configuration, or its address. */
function identifyClient(headers: IncomingHttpHeaders, remote = ''): Readonly<Record<string, string>> {
  const name = headers[clientNameHeader]
  // Envoy sends %HOSTNAME% as it is written, so all Envoys of a configuration would have that name.
  if (typeof name === 'string' && /^[^%]+$/.test(name)) return { client_name: name }
  const address = [remote, headers['x-forwarded-for']].filter((part) => part !== undefined && part !== '')
  return address.length === 0 ? {} : { client_address: address.join(' ') }
}

function buildAddress({ url }: QuotaUpstream, path: string, query: Readonly<Record<string, string>>): URL {
  const address = new URL(`${url.replace(/\/$/, '')}${path}`)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  return address
}

/** Passes the actions of all shards to the client; a client that reads none of them ends its stream. */
function passActions(reply: Reply, end: (outcome: Status) => void) {
  let stalled: NodeJS.Timeout | undefined
  return {
    pass(text: string): void {
      if (!reply.isOpen()) return
      // The service is of this project: it writes nothing but actions.
      const actions = JSON.parse(text) as readonly QuotaAction[]
      if (reply.message(encodeActions(actions)) || stalled !== undefined) return
      stalled = setTimeout(
        end,
        stalledMs,
        status('RESOURCE_EXHAUSTED', `Cannot go on: the client has read nothing for ${stalledMs} ms`),
      )
      reply.whenDrained(() => {
        clearTimeout(stalled)
        stalled = undefined
      })
    },
    close: () => clearTimeout(stalled),
  }
}
