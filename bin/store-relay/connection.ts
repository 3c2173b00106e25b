/** One relayed connection: its first line, the connection to the store, and then bytes both ways. */

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { encodeRelayVerdict, maxRelayLine, parseRelayRequest, type RelayRequest } from '#base/relay-line.ts'
import { failureText } from './failure.ts'
import type { RelayBounds } from './relay.ts'
import type { RelayTls } from './tls.ts'

/** A connection of the runtime that has asked to be relayed. */
interface Relayed {
  readonly client: Socket
  /** Bytes that came with the question. */
  readonly head: Buffer
  readonly tls: RelayTls | null
  readonly bounds: RelayBounds
  /** True when there are as many connections as there may be, so that this one is refused. */
  readonly isFull: boolean
}

const newline = 0x0a

/** Reads the first line, connects, and relays until either side ends. */
export function relayConnection({ client, head, tls, bounds, isFull }: Relayed): void {
  const { connectWithinMs, maxConnections } = bounds
  const watch = setTimeout(() => {
    refuse(client, `the server was not reached within ${connectWithinMs} ms`)
    client.destroySoon()
  }, connectWithinMs)
  client.once('close', () => clearTimeout(watch))
  client.on('error', ignoreEndOfClient)
  readLine(client, head, (line, rest) => {
    const request = line === null ? null : parseRelayRequest(line)
    const refusal = isFull ? `the relay has ${maxConnections} connections already` : findRefusal(request, tls)
    if (refusal !== null || request === null) refuse(client, refusal ?? '')
    else connectStore({ client, request, rest, tls, onReady: () => clearTimeout(watch) })
  })
}

/** Finds the mistake of a request before anything is connected; null when it has none. */
function findRefusal(request: RelayRequest | null, tls: RelayTls | null): string | null {
  if (request === null) return 'the relay was asked for no server'
  return request.tls && tls === null ? 'the relay was asked for TLS, which no setting names' : null
}

/** Ends a connection with a reason. What it still sends is read and dropped, so that it can read the reason first. */
function refuse(client: Socket, reason: string): void {
  client.end(encodeRelayVerdict(reason))
  client.resume()
}

/** Hands on the first line and what came behind it, with the socket paused; null for a line without an end. */
function readLine(client: Socket, head: Buffer, onLine: (line: string | null, rest: Buffer) => void): void {
  let bytes = head
  const take = () => {
    const end = bytes.indexOf(newline)
    if (end < 0 && bytes.length <= maxRelayLine) return
    client.off('data', grow)
    client.pause()
    onLine(end < 0 ? null : bytes.toString('utf8', 0, end), bytes.subarray(end + 1))
  }
  const grow = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    take()
  }
  client.on('data', grow)
  take()
}

interface Connecting extends Pick<Relayed, 'client' | 'tls'> {
  readonly request: RelayRequest
  /** Bytes that the client has sent for the store already. */
  readonly rest: Buffer
  readonly onReady: () => void
}

/** Connects and relays. The store's first bytes say that it was reached: it may refuse a certificate after TLS. */
function connectStore({ client, request, rest, tls, onReady }: Connecting): void {
  let isReady = false
  let hasAnswered = false
  let failure: Error | null = null
  const upstream = openUpstream(request, tls, () => {
    isReady = true
    onReady()
    if (rest.length > 0) upstream.write(rest)
    client.pipe(upstream)
  })
  upstream.once('data', (first: Buffer) => {
    hasAnswered = true
    client.write(encodeRelayVerdict(null))
    client.write(first)
    upstream.pipe(client)
  })
  upstream.on('error', (error) => {
    failure = error
  })
  upstream.on('close', () => {
    if (hasAnswered && failure === null) client.end()
    else if (hasAnswered) client.destroy()
    else refuse(client, failureText(failure, { tls, isSecure: isReady && request.tls }))
  })
  client.on('close', () => upstream.destroy())
}

/** Milliseconds of silence after which the system asks whether the server is still there. */
const keepAliveMs = 60_000

/** Begins to connect; `onReady` is called when bytes can be sent, after the server's certificate was accepted. */
function openUpstream(request: RelayRequest, tls: RelayTls | null, onReady: () => void): Socket {
  const socket = connect('path' in request ? request : { host: bare(request.host), port: request.port })
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  if (!request.tls || tls === null) return socket.once('connect', onReady)
  return secure(socket, request, tls).once('secureConnect', onReady)
}

function secure(socket: Socket, request: RelayRequest, { context, acceptsAnyName }: RelayTls): Socket {
  const secured = connectTls({
    socket,
    secureContext: context,
    // The name that is asked for and checked; an address is checked and not asked for.
    ...('path' in request ? {} : { host: bare(request.host) }),
    ...(acceptsAnyName && { checkServerIdentity: () => undefined }),
  })
  // An error before the handshake is the inner socket's.
  socket.on('error', (error) => secured.destroy(error))
  return secured
}

/** An IPv6 address in a URL has brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** A runtime that ends closes its connections, and no other side needs an answer. */
function ignoreEndOfClient(): void {}
