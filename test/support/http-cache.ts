/** A server behind the Cache API of workerd, which keeps every answer until it stops. */

import { createServer, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from './listen.ts'

/** A cache that runs. */
export interface HttpCache {
  /** `HOST:PORT`. */
  readonly address: string
  stop(): void
}

/** Starts a cache: PUT takes an answer as it is on the wire, GET gives it with `cf-cache-status`. */
export async function startHttpCache(): Promise<HttpCache> {
  const kept = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const key = keyOf(request)
    if (request.method === 'PUT') {
      kept.set(key, await buffer(request))
      response.writeHead(204).end()
      return
    }
    const answer = kept.get(key)
    if (answer === undefined) response.writeHead(504, { 'cf-cache-status': 'MISS' }).end()
    else {
      const { headers, body } = parseAnswer(answer)
      response.writeHead(200, [...headers, ['cf-cache-status', 'HIT']].flat()).end(body)
    }
  })
  const port = await listen(server)
  return {
    address: `127.0.0.1:${port}`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function keyOf({ headers, url = '' }: IncomingMessage): string {
  return `${headers.host}${url}`
}

function parseAnswer(answer: Buffer) {
  const end = answer.indexOf('\r\n\r\n')
  const [, ...lines] = answer.subarray(0, end).toString('latin1').split('\r\n')
  const headers = lines.map((line) => line.split(/: ?(.*)/s, 2))
  return { headers, body: answer.subarray(end + 4) }
}
