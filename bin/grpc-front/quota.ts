/**
 * Quota streams at the front: names the Envoy that opens a gRPC stream, passes its reports to quota objects over
 * WebSockets, and passes their assignments back.
 */

import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { Agent, type Dispatcher, WebSocket } from 'undici'
import { ok } from '#proto-json/grpc-web/status.ts'
import { decodeReports, encodeActions, quotaShardsPath, quotaStreamPath, type Status } from '#proto-json/index.ts'
import type { QuotaAction } from '#ratelimit/quota/messages.ts'
import { createIncoming, readMessage } from './incoming.ts'
import type { Intake } from './intake.ts'
import { createQuotaLink } from './quota-link.ts'
import { askShardCount, createQuotaShards, type QuotaShards } from './quota-shards.ts'
import { contentTypeProblem, status, statusOfError } from './refusal.ts'
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
  /** Milliseconds within which the first message has come, and each later one is complete once it has begun. */
  readonly messageWithinMs: number
}

/** Milliseconds after which a stream is ended whose client reads nothing: a late assignment must not come into force. */
const stalledMs = 1_000
/** Attempts in a row to reopen the socket of one shard while others go on: some 15 seconds. */
const mostReopenings = 8

/** Metadata by which an operator names an Envoy. */
const clientNameHeader = 'x-quota-client'

/** Makes the carrier of a service. */
export function createQuotaCarrier(upstream: QuotaUpstream, bounds: QuotaBounds) {
  const dispatcher = new Agent(
    upstream.socketPath === undefined ? {} : { connect: { socketPath: upstream.socketPath } },
  )
  return {
    carry: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, intake: Intake): void =>
      carry(stream, headers, { upstream, bounds, intake, dispatcher }),
    close: (): void => void dispatcher.destroy(),
  }
}

/** Carries streams to one service. */
export type QuotaCarrier = ReturnType<typeof createQuotaCarrier>

interface CarrierContext {
  readonly upstream: QuotaUpstream
  readonly bounds: QuotaBounds
  readonly intake: Intake
  readonly dispatcher: Dispatcher
}

function carry(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, context: CarrierContext): void {
  const { maxMessageBytes, messageWithinMs } = context.bounds
  const contentType = headers['content-type'] ?? ''
  const reply = createReply(stream, contentType)
  const problem = contentTypeProblem(contentType)
  if (problem !== null) {
    reply.end(problem)
    return
  }
  let shards: QuotaShards | null = null
  const end = (outcome: Status) => {
    reply.end(outcome)
    shards?.close()
  }
  const held = context.intake.enter(end)
  const noReport = `Cannot open stream: no report came within ${messageWithinMs} ms`
  const firstReportTimer = setTimeout(end, messageWithinMs, status('DEADLINE_EXCEEDED', noReport))
  const actions = passActions(reply, end)
  const incoming = createIncoming({ held, maxBytes: maxMessageBytes, withinMs: messageWithinMs, isKept: true, end })
  stream.once('close', () => {
    clearTimeout(firstReportTimer)
    incoming.close()
    held.leave()
    actions.close()
    shards?.close()
  })
  const client = identifyClient(headers, stream.session?.socket?.remoteAddress)
  const openShards = (domain: string) => {
    clearTimeout(firstReportTimer)
    return connectShards(domain, headers, { ...context, client, take: actions.take, end })
  }
  const orEnd = (act: () => void) => {
    try {
      if (reply.isOpen()) act()
    } catch (error) {
      end(statusOfError(error, 'Cannot carry stream'))
    }
  }
  stream.on('data', (chunk: Buffer) =>
    orEnd(() => {
      for (const frame of incoming.push(chunk)) {
        const { domain, usages } = decodeReports(readMessage(frame))
        shards ??= openShards(domain)
        shards.send(usages)
      }
    }),
  )
  stream.on('end', () =>
    orEnd(() => {
      incoming.end()
      end(ok)
    }),
  )
}

interface StreamContext extends CarrierContext {
  /** Fields of the query that say who opened the stream. */
  readonly client: Readonly<Record<string, string>>
  readonly take: (text: string) => void
  readonly end: (outcome: Status) => void
}

function connectShards(domain: string, headers: IncomingHttpHeaders, context: StreamContext): QuotaShards {
  const { upstream, dispatcher, client, take, end } = context
  const { messageWithinMs } = context.bounds
  const { authorization } = headers
  const own = authorization === undefined ? {} : { authorization }
  return createQuotaShards({
    answerWithinMs: messageWithinMs,
    end,
    askShardCount: (signal) =>
      askShardCount(buildAddress(upstream, quotaShardsPath, { domain }), own, dispatcher, signal),
    open(shard, shardCount) {
      const query = { domain, shard: String(shard), shards: String(shardCount), ...client }
      const url = buildAddress(upstream, quotaStreamPath, query)
      return createQuotaLink({
        connect: () => new WebSocket(url, { dispatcher, headers: own }),
        openWithinMs: messageWithinMs,
        // With one shard the stream ends with its socket: nothing else of it goes on.
        mostReopenings: shardCount === 1 ? 0 : mostReopenings,
        take,
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
    take(text: string): void {
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
