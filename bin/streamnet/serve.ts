/** An HTTP server on loopback before a function that answers requests. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { maxRequestBytes } from '#devnode/settings.ts'

const host = '127.0.0.1'

/** Serves a function on a port of 127.0.0.1. A function that rejects breaks the connection. */
export async function serve(answer: (request: Request) => Promise<Response>, port: number) {
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing, answer).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const state = cause.code === 'EADDRINUSE' ? 'is taken, perhaps by a node that was not stopped' : cause.message
      reject(new Error(`Cannot start a node: port ${port} of ${host} ${state}, expected a free port, or 0`, { cause }))
    })
    server.listen(port, host, resolve)
  })
  // A server that listens on a port has an address of this kind.
  const { port: opened } = server.address() as AddressInfo
  return {
    /** Without a slash at the end. */
    url: `http://${host}:${opened}`,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  // A page whose name was turned to this address is another origin, and does not name a loopback host.
  const { host: named = '' } = incoming.headers
  if (!/^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(named)) return void outgoing.writeHead(403).end()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming) {
    bytes += chunk.length
    if (bytes > maxRequestBytes) return void outgoing.writeHead(413, { connection: 'close' }).end()
    chunks.push(chunk)
  }
  const { method = 'GET', url = '/', headers } = incoming
  const type = headers['content-type']
  const response = await answer(
    new Request(new URL(url, `http://${host}`), {
      method,
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(method !== 'GET' && method !== 'HEAD' && { body: Buffer.concat(chunks) }),
    }),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
}
