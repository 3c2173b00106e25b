/** A native gRPC server (HTTP/2, cleartext or TLS) that forwards calls as gRPC-Web; a few methods it answers itself. */

import { unlink } from 'node:fs/promises'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { connect, type ListenOptions } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { quotaStreamPath, servedMethods } from '#proto-json/index.ts'
import type { Decider } from '../decider/decider.ts'
import { type ConnectionAge, drain, limitAge } from './connection-age.ts'
import { boundConnections, type ConnectionBounds } from './connections.ts'
import { converse, type OwnMethods } from './converse.ts'
import { forward } from './forward.ts'
import { createIntake, type IntakeBounds } from './intake.ts'
import { answerPlainHttp } from './plain-http.ts'
import { createQuotaCarrier, type QuotaCarrier, type QuotaUpstream } from './quota.ts'
import { reflectionMethods } from './reflection.ts'
import type { CallBounds, CallContext } from './running-call.ts'
import { createUpstream } from './upstream.ts'

/** The certificate of the front, and which clients it takes. PEM texts. */
export interface FrontTls {
  readonly cert: string | Buffer
  readonly key: string | Buffer
  /** Authority that must have signed the certificate of each client; no certificate is needed when absent. */
  readonly clientCa?: string | Buffer
  /** Host that the certificate of a client must name; any host when absent. */
  readonly clientSan?: string
}

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

/** A front that runs. */
export interface GrpcFront {
  /** The port it listens on; 0 with a UNIX socket. */
  readonly port: number
  /** Stops gracefully: calls that run are finished, and cut after `graceMs`, ten seconds when absent. */
  stop(graceMs?: number): Promise<void>
}

/** Starts a front. */
export async function startGrpcFront(options: GrpcFrontOptions): Promise<GrpcFront> {
  const { host = '127.0.0.1', port = 8081, tls, age = { maxAgeMs: 86_400_000, graceMs: 3_600_000 } } = options
  const bounds = { ...defaultBounds, ...options.bounds }
  assertBounds(bounds)
  const upstream = createUpstream(options.upstream)
  const { quota = { url: options.upstream } } = options
  const carrier = quota === null ? null : createQuotaCarrier(quota, bounds)
  const server = createFrontServer(tls, bounds)
  const sessions = followSessions(server, age)
  boundConnections(server, bounds)
  const httpPlace = placeOfHttp(options.upstream)
  const cutUnknown = answerPlainHttp(server, { ...bounds, isTls: tls !== undefined, httpPlace })
  const { own = reflectionMethods, methods = servedMethods, decider = null } = options
  takeCalls(server, { upstream, bounds, methods, decider, intake: createIntake(bounds) }, { own, carrier })
  if (options.socket !== undefined) await clearSocket(options.socket)
  await listen(server, options.socket === undefined ? { host, port } : { path: options.socket })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async stop(graceMs = 10_000) {
      cutUnknown()
      await closeServer(server, sessions, graceMs)
      carrier?.close()
      upstream.close()
    },
  }
}

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

/** The connections that are open; each is ended when it is old or has failed. */
function followSessions(server: Http2Server, age: ConnectionAge): ReadonlySet<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
    limitAge(session, age, Math.random())
  })
  return sessions
}

interface TakenCalls {
  readonly own: OwnMethods
  readonly carrier: QuotaCarrier | null
}

/** Gives each call to what answers it: the carrier of quota streams, a method of the front, or the service. */
function takeCalls(server: Http2Server, context: CallContext, { own, carrier }: TakenCalls): void {
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const path = headers[':method'] === 'POST' ? (headers[':path'] ?? '') : ''
    const method = own.get(path)
    if (carrier !== null && path === quotaStreamPath) carrier.carry(stream, headers, context.intake)
    else if (method !== undefined) converse(stream, headers, method, context)
    else forward(stream, headers, context)
  })
}

/** Closes a server: takes no connection, lets calls finish, and cuts what still runs after so many milliseconds. */
async function closeServer(
  server: Http2Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  graceMs: number,
): Promise<void> {
  const serverClosed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const session of sessions) drain(session)
  const timer = setTimeout(() => {
    for (const session of sessions) session.destroy()
  }, graceMs)
  await Promise.all([serverClosed, ...[...sessions].map(closed)])
  clearTimeout(timer)
}

function closed(session: ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => (session.destroyed ? resolve() : session.once('close', () => resolve())))
}

/** Streams at once on one connection; a client that wants more opens another connection or waits. */
const settings = { maxConcurrentStreams: 1000 }

function assertBounds({ maxBufferedBytes, maxMessageBytes }: FrontBounds): void {
  // The frame's header of five bytes is held with its message.
  const least = maxMessageBytes + 5
  if (maxBufferedBytes >= least) return
  throw new RangeError(
    `Cannot start: GRPC_MAX_BUFFERED_BYTES is ${maxBufferedBytes}, expected at least ${least}, one message of --max-message`,
  )
}

function createFrontServer(tls: FrontTls | undefined, { prefaceWithinMs }: FrontBounds): Http2Server {
  if (tls === undefined) return createServer({ settings })
  const { cert, key, clientCa, clientSan } = tls
  const server = createSecureServer({
    settings,
    cert,
    key,
    minVersion: 'TLSv1.2',
    handshakeTimeout: prefaceWithinMs,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  })
  if (clientSan !== undefined) {
    server.on('secureConnection', (socket: TLSSocket) => {
      if (!namesHost(socket, clientSan)) socket.destroy()
    })
  }
  return server
}

/** Checks that a client's certificate lists a name among its alternative names. */
function namesHost(socket: TLSSocket, name: string): boolean {
  const names = socket.getPeerCertificate().subjectaltname?.split(', ') ?? []
  return names.some((entry) => entry.slice(entry.indexOf(':') + 1) === name)
}

/** Removes the file of a socket that a killed front left behind; the file of a socket that accepts stays. */
async function clearSocket(path: string): Promise<void> {
  const isLeft = await new Promise<boolean>((resolve) => {
    const socket = connect({ path })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
    socket.once('connect', () => {
      socket.destroy()
      resolve(false)
    })
  })
  if (isLeft) await unlink(path)
}

function listen(server: Http2Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      // An error of one connection ends that connection, never the server.
      server.on('sessionError', () => {})
      server.on('error', () => {})
      resolve()
    })
  })
}
