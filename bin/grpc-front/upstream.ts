/** The service behind the front: one address, spoken to over connections that are kept alive. */

import { type ClientRequest, Agent as HttpAgent, type OutgoingHttpHeaders, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/** workerd closes an idle connection after five seconds: the front closes it first, so that no call is sent on it. */
const idleMs = 4000

/** Creates the upstream of an address such as `http://127.0.0.1:8080` or `https://example.org/prefix`. */
export function createUpstream(address: string) {
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`Cannot reach service: "${address}" is not an HTTP address, expected http:// or https://`)
  }
  const isSecure = url.protocol === 'https:'
  const settings = { keepAlive: true, timeout: idleMs, scheduling: 'lifo' } as const
  const agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings)
  const request = isSecure ? requestHttps : requestHttp
  const prefix = url.pathname.replace(/\/$/, '')
  return {
    /** Opens a request; errors come as its `error` event. */
    post: (path: string, headers: OutgoingHttpHeaders): ClientRequest =>
      request({
        agent,
        method: 'POST',
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: url.port === '' ? (isSecure ? 443 : 80) : url.port,
        path: prefix + path,
        headers,
      }),
    /** Closes the connections that are kept alive. */
    close: (): void => agent.destroy(),
  }
}

/** Service that calls are forwarded to. */
export type Upstream = ReturnType<typeof createUpstream>
