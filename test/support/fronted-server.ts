/** A server behind the HTTP front, which shows what it is asked, and raw connections to the front. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { type HttpFront, type HttpFrontOptions, startHttpFront } from '#bin/http-front/front.ts'
import { createUpstream, type Upstream } from '#bin/http-front/upstream.ts'
import { listen } from './listen.ts'
import { eventually } from './wait.ts'

/** Answer of the server to a path. */
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

/** Answers with the request itself. */
export function tell(asked: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  asked.on('data', (chunk: Buffer) => chunks.push(chunk))
  asked.on('end', () => {
    const { method, url, rawHeaders } = asked
    response.setHeader('content-type', 'application/json')
    // As octets: together with text the headers would be written in its encoding.
    response.end(Buffer.from(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() })))
  })
}

/** The Host header of a request that is answered. */
export const host = 'host: localhost'

/** The status of an answer. */
export const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])

/** The request as the server got it. */
interface ToldRequest {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: ReadonlyMap<string, string>
}

/** Reads the request from an answer of `tell`. */
export function told(answer: string): ToldRequest {
  const { rawHeaders, ...rest } = JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? '{}')
  const headers = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.set(rawHeaders[at], rawHeaders[at + 1])
  return { ...rest, headers }
}

/** A raw connection to a front. */
export class Wire {
  readonly socket: Socket
  text = ''
  isClosed = false

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port })
    this.socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1')
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
  }

  send(...lines: readonly string[]): this {
    this.socket.write(lines.join('\r\n'), 'latin1')
    return this
  }

  /** Waits for a text, or for the end of the connection. */
  async until(pattern: RegExp | 'closed'): Promise<string> {
    const isThere = () => (pattern === 'closed' ? this.isClosed : pattern.test(this.text))
    const received = () => JSON.stringify(this.text)
    await eventually(`${pattern}`, () => isThere() || this.isClosed, received)
    if (!isThere()) throw new Error(`The connection ended: ${received()}`)
    return this.text
  }
}

/** Starts the server and a front for the tests of a file; each test begins without behaviours and connections. */
export function frontedServer() {
  const behaviours = new Map<string, Behaviour>()
  const seen: IncomingMessage[] = []
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    seen.push(request)
    const path = (request.url ?? '').split('?')[0] ?? ''
    const behaviour = behaviours.get(path) ?? tell
    behaviour(request, response)
  })
  const others: HttpFront[] = []
  const wires: Wire[] = []
  let serverPort = 0
  let upstream: Upstream
  let front: HttpFront

  beforeAll(async () => {
    serverPort = await listen(server)
    upstream = createUpstream({ host: '127.0.0.1', port: serverPort })
    front = await startHttpFront({ upstream })
  })
  afterEach(async () => {
    for (const { socket } of wires.splice(0)) socket.destroy()
    await Promise.all(others.splice(0).map((other) => other.stop(0)))
    behaviours.clear()
    seen.length = 0
  })
  afterAll(async () => {
    await front.stop(0)
    await upstream.close()
    server.closeAllConnections()
    server.close()
  })

  const urls = () => seen.map(({ url }) => url)
  /** Connects to the front, or to another one by its port. */
  function connectTo(port = front.port): Wire {
    const wire = new Wire(port)
    wires.push(wire)
    return wire
  }
  return {
    /** Answers of the server by the path of the request; `tell` answers all others. */
    behaviours,
    /** Requests that have come to the server. */
    seen,
    urls,
    serverPort: () => serverPort,
    port: () => front.port,
    upstream: () => upstream,
    connectTo,
    /** Waits until the server was asked so often. */
    asked: (times: number) => eventually(`${times} requests`, () => seen.length === times, urls),
    /** Sends a whole request and gives the answer's status line, headers and body as one text. */
    ask: (...lines: readonly string[]): Promise<string> =>
      connectTo()
        .send(...lines)
        .until('closed'),
    /** Starts another front before the same server, for one test. */
    async startOther(options: Partial<HttpFrontOptions>): Promise<HttpFront> {
      const other = await startHttpFront({ upstream, ...options })
      others.push(other)
      return other
    },
  }
}
