/** The HTTP ports of `npm start`: a front for each, all of them in front of one runtime. */

import type { Decider } from '../decider/decider.ts'
import { type HttpFront, startHttpFront } from '../http-front/front.ts'
import type { SignIn } from '../http-front/sign-in.ts'
import type { SessionTokens } from '../http-front/tokens.ts'
import { createUpstream, type UpstreamAddress } from '../http-front/upstream.ts'
import { loopback, type StartOptions } from './options.ts'

/**
 * Opens every HTTP port that the options name.
 *
 * @param tokens - added to requests on two ports: `STREAMNET_ADMIN_TOKEN` on the loopback port of the node's operator,
 *   `ADMIN_TOKEN` on the port of the metrics. Requests to all other ports must send theirs.
 * @param parts.signIn - of the console, on the port of all services.
 * @param parts.decider - answers `POST /json` on the ports of the rate limit service.
 * @returns what stops them all; answers that run have half a second.
 * @throws Error when a port is taken; the others stay open until the process ends.
 */
export async function startListeners(
  options: StartOptions,
  runtime: UpstreamAddress,
  { STREAMNET_ADMIN_TOKEN, ADMIN_TOKEN }: Pick<SessionTokens, 'STREAMNET_ADMIN_TOKEN' | 'ADMIN_TOKEN'>,
  { signIn, decider }: { readonly signIn: SignIn; readonly decider: Decider },
): Promise<{ stop(): Promise<void> }> {
  const { host, port, debugHost, debugPort, nodePort, adminPort, allowedHosts } = options
  const { metricsHost, metricsPort, metricsPath } = options
  const upstream = createUpstream(runtime)
  const listeners = [
    { host, port, prefix: '', signIn, decider },
    { host: debugHost, port: debugPort, prefix: '/ratelimit', decider },
    { host: metricsHost, port: metricsPort, prefix: '/ratelimit', onlyPath: metricsPath, fields: bearer(ADMIN_TOKEN) },
    { host, port: nodePort, prefix: '/streamnet/node' },
    { host: loopback, port: adminPort, prefix: '/streamnet/admin', fields: bearer(STREAMNET_ADMIN_TOKEN) },
  ]
  const fronts: HttpFront[] = []
  for (const listener of listeners) {
    if (listener.port > 0) fronts.push(await startHttpFront({ ...listener, upstream, allowedHosts }))
  }
  return {
    async stop() {
      await Promise.all(fronts.map((front) => front.stop()))
      await upstream.close()
    },
  }
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` }
}

/** An address at which this process reaches one of its ports that listens on a host. */
export function ownAddress(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? loopback : host === '::' || host === '*' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
