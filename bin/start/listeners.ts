/** The HTTP ports of `npm start`: a front for each, all of them in front of one runtime. */

import type { Decider } from '../decider/decider.ts'
import { type HttpFront, startHttpFront } from '../http-front/front.ts'
import type { SignIn } from '../http-front/sign-in.ts'
import { createUpstream, type UpstreamAddress } from '../http-front/upstream.ts'
import { loopback, type StartOptions } from './options.ts'

/**
 * Opens every HTTP port that the options name.
 *
 * @param tokens - `operatorToken` opens the node's operator's port to every request that comes to the port on
 *   loopback; what comes to another port has to bring it. `adminToken` opens the metrics on their own port.
 * @param signIn - of the console, on the port of all services.
 * @param decider - answers `POST /json` there.
 * @returns what stops them all; answers that run are finished within a moment.
 */
export async function startListeners(
  options: StartOptions,
  runtime: UpstreamAddress,
  { operatorToken, adminToken }: { readonly operatorToken: string; readonly adminToken: string },
  { signIn, decider }: { readonly signIn: SignIn; readonly decider: Decider },
): Promise<{ stop(): Promise<void> }> {
  const { host, port, debugHost, debugPort, nodePort, adminPort, allowedHosts } = options
  const { metricsHost, metricsPort, metricsPath } = options
  const upstream = createUpstream(runtime)
  const asAdmin = { authorization: `Bearer ${adminToken}` }
  const asOperator = { authorization: `Bearer ${operatorToken}` }
  const ports = [
    { host, port, prefix: '', signIn, decider },
    { host: debugHost, port: debugPort, prefix: '/ratelimit', decider },
    { host: metricsHost, port: metricsPort, prefix: '/ratelimit', onlyPath: metricsPath, fields: asAdmin },
    { host, port: nodePort, prefix: '/streamnet/node' },
    { host: loopback, port: adminPort, prefix: '/streamnet/admin', fields: asOperator },
  ]
  const fronts: HttpFront[] = []
  for (const place of ports.filter((candidate) => candidate.port > 0)) {
    fronts.push(await startHttpFront({ ...place, upstream, allowedHosts }))
  }
  return {
    async stop() {
      await Promise.all(fronts.map((front) => front.stop()))
      await upstream.close()
    },
  }
}

/** An address at which this process reaches one of its ports that listens on a host. */
export function ownAddress(host: string, port: number): string {
  const reached = host === '0.0.0.0' ? loopback : host === '::' || host === '*' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
