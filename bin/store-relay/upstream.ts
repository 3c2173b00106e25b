/** Opens the relay's own connection to a store: TCP or a UNIX socket, with or without TLS. */

import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { RelayRequest } from '#base/relay-line.ts'
import type { RelayTls } from './tls.ts'

/** Milliseconds of silence after which the system asks whether the server is still there. */
const keepAliveMs = 60_000

/** Begins to connect; `onReady` is called when bytes can be sent, after the server's certificate was accepted. */
export function openUpstream(request: RelayRequest, tls: RelayTls | null, onReady: () => void): Socket {
  const socket = connect(addressOf(request))
  socket.setNoDelay(true)
  socket.setKeepAlive(true, keepAliveMs)
  if (!request.tls || tls === null) return socket.once('connect', onReady)
  return secure(socket, request, tls).once('secureConnect', onReady)
}

function addressOf(request: RelayRequest) {
  return 'path' in request ? { path: request.path } : { host: bare(request.host), port: request.port }
}

function secure(socket: Socket, request: RelayRequest, { context, anyName }: RelayTls): Socket {
  const secured = connectTls({
    socket,
    secureContext: context,
    // The name that is asked for and checked; an address is checked and not asked for.
    ...('path' in request ? {} : { host: bare(request.host) }),
    ...(anyName && { checkServerIdentity: () => undefined }),
  })
  // An error before the handshake is the inner socket's.
  socket.on('error', (error) => secured.destroy(error))
  return secured
}

/** An IPv6 address in a URL has brackets. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}
