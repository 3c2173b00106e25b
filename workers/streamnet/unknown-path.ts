/** The answer to a path of this surface that leads nowhere. */

import { nearest } from '#base/nearest.ts'

/** The paths that people look for, for the hint to a path that leads nowhere. */
const knownPaths = [
  '/healthcheck',
  '/streamnet/v1',
  '/streamnet/v1/openapi.json',
  '/streamnet/v1/list_streams',
  '/streamnet/v1/metrics',
  '/streamnet/v1/jobs',
  '/streamnet/node/rpc/v1',
  '/streamnet/node/api/v1/health',
  '/streamnet/node/spec/v1',
]

/** The answer to a path that leads nowhere, with the nearest that leads somewhere. */
export function answerUnknownPath({ method, url }: Pick<Request, 'method' | 'url'>): Response {
  const path = new URL(url).pathname.slice(0, 128)
  const isNode = /^\/streamnet\/(node|admin)\//.test(path)
  const near = isNode ? undefined : nearest(path, knownPaths)
  const where = isNode
    ? 'where STREAMNET_NODE opens the node, POST /rpc/v1 takes JSON-RPC, GET /api/v1/health tells its health, GET /spec/v1 lists its methods'
    : 'GET /streamnet/v1 lists what the gateway does; a node answers below /streamnet/node where STREAMNET_NODE is read or open'
  const body = {
    error: `Cannot answer ${method}: there is no path ${path}`,
    hint: near === undefined ? where : `perhaps ${near}; ${where}`,
  }
  return Response.json(body, { status: 404, headers: { 'x-content-type-options': 'nosniff' } })
}
