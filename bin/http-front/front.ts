/**
 * An HTTP server of this process in front of the runtime's own.
 *
 * The runtime closes a connection after five idle seconds without notice, knows neither HTTP/1.0 nor absolute targets,
 * and answers for every host. This one keeps connections for as long as clients do, says how long that is, and lets
 * through what the runtime understands.
 */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Decider } from '../decider/decider.ts'
import { refuseClient } from './client-error.ts'
import { type Connections, watchConnections } from './connections.ts'
import { decideOrForward } from './decide.ts'
import { forward } from './forward.ts'
import { createHostCheck } from './host.ts'
import { refuse } from './refuse.ts'
import { type SignIn, signInPath } from './sign-in.ts'
import { prefixed, type Refusal, readTarget } from './target.ts'
import type { Upstream } from './upstream.ts'

const defaultHost = '127.0.0.1'

const defaultBounds = {
  maxConnections: 4096,
  /** Longest idle time of a connection, in milliseconds: longer than the hour for which Envoy keeps one. */
  idleMs: 3_660_000,
  /** Longest time for the headers of a request, in milliseconds. */
  headersWithinMs: 20_000,
  /** Longest time for a whole request to arrive, in milliseconds. */
  requestWithinMs: 300_000,
  /** The longest target and headers together, in bytes: as the platform's. */
  maxHeaderBytes: 128 * 1024,
}

/** Options of a front; all but the runtime have a default. */
export interface HttpFrontOptions {
  /** The runtime; several fronts may share it, and it is the caller's to close. */
  readonly upstream: Upstream
  /** Address to listen on; 127.0.0.1 when absent. */
  readonly host?: string
  /** Port to listen on; 0 or absent lets the system choose. */
  readonly port?: number
  /** The prefix of every path on the way to the runtime, such as `/ratelimit`. */
  readonly prefix?: string
  /** The one path that is answered, to GET; every path when absent. */
  readonly onlyPath?: string
  /** Fields that are set on every request to the runtime, instead of the client's; names in lower case. */
  readonly fields?: Readonly<Record<string, string>>
  /** Hosts that are answered besides those of loopback and the address listened on; `*` for all. */
  readonly allowedHosts?: readonly string[]
  /** Signs browsers in; without it no session is known here. */
  readonly signIn?: SignIn
  /** Decides `POST /json` in the front while it can; every request is forwarded when absent. */
  readonly decider?: Decider
  readonly bounds?: Partial<typeof defaultBounds>
}

/** The hosts that name every address of the machine at once, and so no host of a request. */
const wildcards = new Set(['', '*', '0.0.0.0', '::'])

/** Starts a front. */
export async function startHttpFront(options: HttpFrontOptions) {
  const { host = defaultHost, port = 0 } = options
  const bounds = { ...defaultBounds, ...options.bounds }
  const server = createFrontServer(bounds)
  const connections = watchConnections(server, bounds.maxConnections)
  takeRequests(server, connections, createAnswer(options))
  server.listen({ host, port })
  await once(server, 'listening')
  // An error of one connection ends that connection, not the server.
  server.on('error', () => {})
  return {
    // A server that listens on a port has an address.
    port: (server.address() as AddressInfo).port,
    /** Stops: idle connections are closed at once, answers that run after so many milliseconds. */
    async stop(graceMs = 500): Promise<void> {
      const isClosed = once(server, 'close')
      server.close()
      connections.closeIdle()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await isClosed
      clearTimeout(timer)
    },
  }
}

/** A front that runs. */
export type HttpFront = Awaited<ReturnType<typeof startHttpFront>>

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** True where the client waits for the status 100 before it sends the body. */
  readonly isAwaited: boolean
}

function createFrontServer(bounds: typeof defaultBounds): Server {
  const server = createServer({
    keepAliveTimeout: bounds.idleMs,
    headersTimeout: bounds.headersWithinMs,
    requestTimeout: bounds.requestWithinMs,
    connectionsCheckingInterval: Math.min(5000, bounds.headersWithinMs),
    maxHeaderSize: bounds.maxHeaderBytes,
    // `readTarget` refuses a request without it, with a sentence.
    requireHostHeader: false,
    noDelay: true,
  })
  // Without a bound of their own, which would drop what is beyond it in silence; the bytes are bounded above.
  server.maxHeadersCount = 0
  return server
}

/** Notes each request on its connection, and answers it; what is not a request of HTTP/1.1 is refused. */
function takeRequests(server: Server, connections: Connections, answer: (exchange: Exchange) => void): void {
  server.on('request', (request, response) => {
    connections.begin(request.socket, response)
    answer({ request, response, isAwaited: false })
  })
  server.on('checkContinue', (request, response) => {
    connections.begin(request.socket, response)
    answer({ request, response, isAwaited: true })
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(request.socket, response)
    refuse(response, 417, 'Cannot meet the expectation: expected 100-continue, or none')
  })
  server.on('connect', (_, socket: Socket) => socket.end('HTTP/1.1 501 Not Implemented\r\nconnection: close\r\n\r\n'))
  server.on('clientError', (error, socket: Socket) => refuseClient(error, socket, connections.stateOf(socket)))
}

/** Creates the function that refuses a request, signs in by it, decides it or forwards it. */
function createAnswer(options: HttpFrontOptions): (exchange: Exchange) => void {
  const { host = defaultHost, allowedHosts = [], prefix = '', fields: own, upstream, decider, signIn } = options
  const isOurs = createHostCheck([...allowedHosts, ...(wildcards.has(host) ? [] : [host])])
  return ({ request, response, isAwaited }) => {
    const target = readTarget(request)
    if ('status' in target) {
      // What follows on the connection may be of a request that was read otherwise elsewhere.
      response.shouldKeepAlive = false
      return refuse(response, target.status, target.message)
    }
    const { authority } = target
    if (!isOurs(authority, request.socket.localAddress)) return refuse(response, 421, misdirected(authority))
    const problem = findProblem(request, target.path, options.onlyPath)
    if (problem !== null) return refuse(response, problem.status, problem.message)
    const isSignIn = signIn !== undefined && target.path === signInPath
    const fields = isSignIn ? {} : signIn?.admit(request, response, target)
    if (fields === null) return
    if (isAwaited) response.writeContinue()
    if (isSignIn) return void signIn.answer(request, response, authority)
    const forwarded = { authority, path: prefixed(target.path, prefix), fields: { ...own, ...fields } }
    if (decider === undefined) forward(request, response, forwarded, upstream)
    else decideOrForward(request, response, forwarded, { upstream, decider })
  }
}

/** Finds why a request is answered by none of the services; null where one does. */
function findProblem(request: IncomingMessage, path: string, onlyPath: string | undefined): Refusal | null {
  if (isWebSocket(request)) return { status: 501, message: 'Cannot upgrade the connection: expected plain HTTP/1.1' }
  if (onlyPath === undefined || isGet(request, path, onlyPath)) return null
  return { status: 404, message: `Cannot find ${request.method} of this path: expected GET ${onlyPath}` }
}

function misdirected(authority: string): string {
  const shown = authority.slice(0, 256)
  return `Cannot answer for host "${shown}": expected localhost, the address listened on, or a name given with --allowed-host`
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade !== undefined && /(^|,)\s*websocket\s*(,|$)/i.test(headers.upgrade)
}

function isGet({ method }: IncomingMessage, asked: string, path: string): boolean {
  return method === 'GET' && (asked === path || asked.startsWith(`${path}?`))
}
