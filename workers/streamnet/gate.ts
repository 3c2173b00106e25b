/** The gate before the gateway and the node: what a request does, and how a refusal looks on each port. */

import type { GateOperation } from '#edge/gate.ts'
import type { StreamnetEnv } from '#objects/streamnet/env.ts'
import { urlOf } from '../edge/request-url.ts'
import { allowPages } from './cors.ts'
import { refuseFlood } from './node.ts'
import { streamnetProblem } from './problems.ts'

/**
 * Names what a request does. A call of the node's JSON-RPC counts as a write: its method is in the body, which the
 * gate does not read. The health of the public node is open to those who watch it, but not to a caller with a token,
 * who may be guessing.
 */
export function findGateOperation({ method, headers }: Request, path: string): GateOperation | null {
  const isWatch = healthPath.test(path) && !headers.has('authorization')
  if (method === 'OPTIONS' || !/^\/(?:streamnet|rpc)\//.test(path) || isWatch) return null
  if (/^\/streamnet\/v1\/(streams|blocks|markets)\/(.*\/)?events$/.test(path)) return 'stream'
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

const healthPath = /^\/streamnet\/node\/api\/v1\/health(?:\/\w+)?$/

/** A problem of the gateway, or an error of JSON-RPC from the node. */
export function refuseCaller(message: string, seconds: number, request: Request, env: StreamnetEnv): Response {
  const headers = { 'retry-after': String(seconds) }
  const isGateway = urlOf(request).pathname.startsWith('/streamnet/v1')
  const refusal = isGateway ? streamnetProblem({ code: 'too_many', message }, headers) : refuseFlood(message, headers)
  return allowPages(request, env, refusal)
}
