/** A native gRPC server (HTTP/2, cleartext or TLS) that forwards calls as gRPC-Web; a few methods it answers itself. */

import cluster from 'node:cluster'
import type { Http2Server, ServerHttp2Stream } from 'node:http2'
import { quotaStreamPath, servedMethods } from '#proto-json/index.ts'
import { answerReflection, reflectionPaths } from '#proto-json/reflection.ts'
import type { Decider } from '../decider/decider.ts'
import type { ConnectionAge } from './connection-age.ts'
import { boundConnections, type ConnectionBounds } from './connections.ts'
import { converse, type OwnMethods } from './converse.ts'
import { longestDelayMs } from './deadline.ts'
import { forward } from './forward.ts'
import { createIntake, type IntakeBounds } from './intake.ts'
import { answerPlainHttp } from './plain-http.ts'
import { createQuotaProxy, type QuotaProxy, type QuotaUpstream } from './quota.ts'
import type { CallBounds, CallContext } from './running-call.ts'
import { clearSocket, closeServer, createFrontServer, type FrontTls, followSessions, listen } from './server.ts'
import { createUpstream } from './upstream.ts'

/** The options of a front; everything but the address of the service has a default. */
export interface GrpcFrontOptions {
  /** Origin of the gRPC-Web service, such as `http://127.0.0.1:8080`. */
  readonly upstream: string
  /** Address to listen on; 127.0.0.1 when absent. */
  readonly host?: string
  /** Port to listen on; 8081 when absent, 0 lets the system choose. */
  readonly port?: number
  /** Path of a UNIX socket to listen on instead of host and port. */
  readonly socket?: string
  readonly tls?: FrontTls
  /** A day and an hour when absent, as the reference. */
  readonly age?: ConnectionAge
  /** Those of `defaultBounds` when absent. */
  readonly bounds?: Partial<FrontBounds>
  /** Paths of the methods that are forwarded; those of the rate limit service and of health when absent. */
  readonly methods?: readonly string[]
  /** Upstream of quota streams; `upstream` when absent, null to refuse them. */
  readonly quota?: QuotaUpstream | null
  /** Decides ShouldRateLimit in the front while it can; every call is forwarded when absent or null. */
  readonly decider?: Decider | null
  /** The methods that it answers itself; server reflection of the rate limit service when absent. */
  readonly own?: OwnMethods
}

/** Bounds on everything that a client can make grow. */
export type FrontBounds = CallBounds & IntakeBounds & ConnectionBounds

/** Bounds that an ordinary proxy never meets. */
export const defaultBounds: FrontBounds = {
  maxMessageBytes: 4 * 1024 * 1024,
  messageWithinMs: 30_000,
  answerWithinMs: 60_000,
  maxCalls: 10_000,
  maxBufferedBytes: 64 * 1024 * 1024,
  maxConnections: 1_000,
  idleMs: 600_000,
  prefaceWithinMs: 10_000,
}

/** Server reflection, in both versions: it is a stream both ways, which gRPC-Web does not have. */
const reflectionMethods: OwnMethods = new Map(reflectionPaths.map((path) => [path, answerReflection]))

/** Starts a front. */
export async function startGrpcFront(options: GrpcFrontOptions) {
  const { host = '127.0.0.1', port = 8081, tls, age = { maxAgeMs: 86_400_000, graceMs: 3_600_000 } } = options
  const given = { ...defaultBounds, ...options.bounds }
  const bounds = { ...given, messageWithinMs: Math.min(given.messageWithinMs, longestDelayMs) }
  assertBounds(bounds)
  const upstream = createUpstream(options.upstream)
  const { quota = { url: options.upstream } } = options
  const quotaProxy = quota === null ? null : createQuotaProxy(quota, bounds)
  const server = createFrontServer(tls, bounds.prefaceWithinMs)
  const sessions = followSessions(server, age)
  boundConnections(server, bounds)
  const httpPlace = placeOfHttp(options.upstream)
  const cutUnknown = answerPlainHttp(server, { ...bounds, isTls: tls !== undefined, httpPlace })
  const { own = reflectionMethods, methods = servedMethods, decider = null } = options
  takeCalls(server, { upstream, bounds, methods, decider, intake: createIntake(bounds) }, { own, quotaProxy })
  if (options.socket !== undefined && cluster.isPrimary) await clearSocket(options.socket)
  await listen(server, options.socket === undefined ? { host, port } : { path: options.socket })
  const address = server.address()
  return {
    /** The port it listens on; 0 with a UNIX socket. */
    port: typeof address === 'object' && address !== null ? address.port : 0,
    /** Stops gracefully: calls that run are finished, and cut after so many milliseconds. */
    async stop(graceMs = 10_000): Promise<void> {
      cutUnknown()
      await closeServer(server, sessions, graceMs)
      quotaProxy?.close()
      upstream.close()
    },
  }
}

/** A front that runs. */
export type GrpcFront = Awaited<ReturnType<typeof startGrpcFront>>

/** Stops a front and its decider; leases that are not used are admitted elsewhere while the last calls finish here. */
export async function stopGrpcFront(front: GrpcFront, decider: Decider | null): Promise<void> {
  await Promise.all([front.stop(), decider?.leave()])
  await decider?.stop()
}

/** Words the place of HTTP for clients of HTTP/1.x; a service that is not on this machine may be hidden behind the front. */
function placeOfHttp(upstream: string): string {
  const { hostname, origin } = new URL(upstream)
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  return isHere ? `at ${origin}` : 'at the service itself'
}

interface TakenCalls {
  readonly own: OwnMethods
  readonly quotaProxy: QuotaProxy | null
}

/** Gives each call to what answers it: the proxy of quota streams, a method of the front, or the service. */
function takeCalls(server: Http2Server, context: CallContext, { own, quotaProxy }: TakenCalls): void {
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const path = headers[':method'] === 'POST' ? (headers[':path'] ?? '') : ''
    const method = own.get(path)
    if (quotaProxy !== null && path === quotaStreamPath) quotaProxy.proxyStream(stream, headers, context.intake)
    else if (method !== undefined) converse(stream, headers, method, context)
    else forward(stream, headers, context)
  })
}

function assertBounds({ maxBufferedBytes, maxMessageBytes }: FrontBounds): void {
  // The frame's header of five bytes is held with its message.
  const least = maxMessageBytes + 5
  if (maxBufferedBytes >= least) return
  throw new RangeError(
    `Cannot start: GRPC_MAX_BUFFERED_BYTES is ${maxBufferedBytes}, expected at least ${least}, one message of --max-message`,
  )
}
