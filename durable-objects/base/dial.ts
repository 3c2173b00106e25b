/** Opens a connection to a store: by the Worker's own sockets, or through the relay of the process that hosts it. */

import { connect } from 'cloudflare:sockets'
import { encodeRelayRequest, type RelayRequest } from '#base/relay-line.ts'

/** Address and TLS of a connection. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** A server that is reached through the relay. */
export type RelayTarget = RelayRequest & { readonly relay: Fetcher }

/** The relay is asked by the method CONNECT of HTTP, whose target it does not read: the request's line says more. */
const relayName = 'store-relay:1'

/** Begins to connect. For a relay there are bytes to write first: its line comes before the server's bytes. */
export function dial(target: Target | RelayTarget) {
  if (!('relay' in target)) {
    const secureTransport = target.tls ? 'on' : 'off'
    const address = { hostname: target.host, port: target.port }
    return { socket: connect(address, { secureTransport, allowHalfOpen: false }), request: null }
  }
  const { relay, tls } = target
  const endpoint = 'path' in target ? { path: target.path } : { host: target.host, port: target.port }
  return {
    socket: relay.connect(relayName, { secureTransport: 'off', allowHalfOpen: false }),
    request: encodeRelayRequest({ ...endpoint, tls }),
  }
}
