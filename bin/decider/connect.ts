/** The way of a front to its service: a WebSocket with the token, over TCP or a UNIX socket. */

import { randomUUID } from 'node:crypto'
import { Agent, type Dispatcher, WebSocket } from 'undici'
import { version } from '#base/version.ts'
import { frontPath, frontProtocol } from '#ratelimit/front/messages.ts'
import { createDecider, type Decider } from './decider.ts'

/** The service, and the token that lets a front decide. */
export interface DeciderUpstream {
  /** Such as `http://127.0.0.1:8080`; where there is a socket, its host is not looked up. */
  readonly url: string
  /** Path of a UNIX socket to connect to instead. */
  readonly socketPath?: string
  /** FRONT_TOKEN of the service. */
  readonly token: string
}

/** Connects a decider under a new name, by which the service knows its connection. */
export function connectDecider({ url, socketPath, token }: DeciderUpstream): Decider {
  const agent = new Agent(socketPath === undefined ? {} : { connect: { socketPath } })
  const dispatcher = agent.compose(offerNoExtensions)
  const address = new URL(`${url.replace(/\/$/, '')}${frontPath}`)
  const query = { name: randomUUID(), protocol: String(frontProtocol), release: version }
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  const decider = createDecider({
    connect: () => new WebSocket(address, { dispatcher, headers: { authorization: `Bearer ${token}` } }),
    warn: (message) => console.error(message),
  })
  return {
    ...decider,
    async stop() {
      await decider.stop()
      await agent.destroy()
    },
  }
}

/**
 * Connects without permessage-deflate, which `WebSocket` always offers: messages are short and many, and compressing
 * them takes a tenth of a decision without leases on both sides together (`bench/native.bench.ts`).
 */
function offerNoExtensions(dispatch: Dispatcher.Dispatch): Dispatcher.Dispatch {
  return (options, handler) => {
    const { 'sec-websocket-extensions': _, ...headers } = Object(options.headers)
    return dispatch({ ...options, headers }, handler)
  }
}
