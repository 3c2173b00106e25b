/**
 * The relay to stores: Workers reach it on a UNIX socket, and it reaches Redis and memcached where a Worker's own
 * sockets cannot: on UNIX sockets, behind a private authority, with a client certificate.
 *
 * The socket is in a folder that only this user can enter. The runtime asks by the method CONNECT of HTTP (RFC 9110,
 * section 9.3.6), which is how workerd hands a connection to a service on a UNIX socket; which server is meant is the
 * first line of the connection itself (`src/base/relay-line.ts`).
 */

import { createServer, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { listenPrivately } from '../start/unix-socket.ts'
import { relayConnection } from './connection.ts'
import type { RelayTls } from './tls.ts'

/** Upper bounds on a relay: more connections than any pool has, and the reference's own wait for Redis. */
const defaultBounds = {
  /** Connections at once, whether their server has been reached or not. */
  maxConnections: 4_096,
  /** Milliseconds until the server must have been reached, its certificate accepted. */
  connectWithinMs: 10_000,
}

/** Upper bounds on a relay. */
export type RelayBounds = Readonly<typeof defaultBounds>

/** Milliseconds between two checks for connections that have sent no request in time. */
const checkMs = 1_000

/** Starts a relay; the files of `tls` were read by `readRelayTls`, null for stores without TLS of their own. */
export async function startStoreRelay(tls: RelayTls | null, bounds: RelayBounds = defaultBounds) {
  const open = new Set<Socket>()
  const timeouts = { headersTimeout: bounds.connectWithinMs, connectionsCheckingInterval: checkMs }
  const server = createServer(timeouts, (_request, response) => response.writeHead(405).end())
  server.maxConnections = bounds.maxConnections * 2
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('connect', (_request: IncomingMessage, client: Socket, head: Buffer) => {
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    relayConnection({ client, head, tls, bounds, isFull: open.size > bounds.maxConnections })
  })
  const socket = await listenPrivately(server, 'sluice-store-')
  return {
    /** The UNIX socket that it listens on. */
    socketPath: socket.path,
    connections: () => open.size,
    stop: () =>
      socket.close(() => {
        for (const connection of open) connection.destroy()
      }),
  }
}

/** A relay that runs. */
export type StoreRelay = Awaited<ReturnType<typeof startStoreRelay>>
