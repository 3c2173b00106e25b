/** A loopback node on a real socket, open to pages of any origin. */

import { createServer } from 'node:http'
import { listen } from './listen.ts'
import { createLoopbackNode, type LoopbackNode } from './loopback-node.ts'

/** A loopback node that listens. */
export interface LoopbackServer {
  readonly node: LoopbackNode
  readonly endpoint: string
  close(): void
}

/** Starts a loopback node on a free port. */
export async function startLoopbackServer(): Promise<LoopbackServer> {
  const node = createLoopbackNode()
  node.signInRequest.domain = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', '*')
    if (request.method === 'OPTIONS') {
      response.end()
      return
    }
    // Header names are text; a list of values occurs in none that the client sends.
    const headers = request.headers as Record<string, string>
    const body = Buffer.concat(chunks).toString()
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'text/html').end('<!doctype html>')
      return
    }
    const answer = await node.platform.fetch(request.url ?? '', { method: 'POST', headers, body })
    response.end(await answer.text())
  })
  const port = await listen(server)
  return {
    node,
    endpoint: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
