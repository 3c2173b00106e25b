/** The HTTP paths of a node in memory. */

import type { MemoryNode } from '#devnode/memory/node.ts'
import { maxRequestBytes } from '#devnode/settings.ts'

/** The path below which the operator's port answers. */
export const operatorPath = '/operator'

const json = { 'content-type': 'application/json' }
/** Pages of any origin may use the public port; those of other origins cannot reach the operator's. */
const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }

/** Makes the function that answers requests to a node; it rejects where the node breaks the connection. */
export function createNodeFetch(node: MemoryNode): (request: Request) => Promise<Response> {
  return async (request) => {
    request.signal.throwIfAborted()
    const { pathname } = new URL(request.url)
    const port = pathname.startsWith(`${operatorPath}/`) ? 'admin' : 'public'
    const path = port === 'admin' ? pathname.slice(operatorPath.length) : pathname
    const headers = port === 'public' ? { ...json, ...open } : json
    const answer = (status: number, body: string) => new Response(body, { status, headers })
    const fail = (status: number, error: string) => answer(status, JSON.stringify({ error: `Cannot answer: ${error}` }))
    // A page cannot send JSON to another origin without asking first, which the operator's port does not answer.
    if (request.method === 'OPTIONS' && port === 'public') return new Response(null, { status: 204, headers: open })
    if (request.method === 'GET' && path === '/api/v1/health') {
      const user = node.health()
      return answer(200, JSON.stringify({ healthy: true, services: { user, chain: user } }))
    }
    if (path !== '/rpc/v1') return fail(404, 'expected POST /rpc/v1, GET /api/v1/health, or both below /operator')
    if (request.method !== 'POST') return fail(405, 'expected POST')
    if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) {
      return fail(415, 'expected content-type application/json')
    }
    const text = await request.text()
    if (text.length > maxRequestBytes) return fail(413, `expected at most ${maxRequestBytes} characters`)
    const answered = await node.ask(port, text)
    request.signal.throwIfAborted()
    if (answered === undefined) throw new TypeError('Cannot answer: the connection was broken')
    return answer(answered.status, answered.text)
  }
}
