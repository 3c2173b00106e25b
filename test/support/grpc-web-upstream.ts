/** A gRPC-Web service over HTTP/1.1 whose answers a test writes byte by byte. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { encodeFrame, encodeTrailersFrame, type Status } from '#proto-json/index.ts'
import { listen } from './listen.ts'

/** A request as it arrived, with its whole body. */
export interface UpstreamRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Resolves when the caller has gone before the answer was over. */
  readonly whenLeft: Promise<void>
}

/** Writes the answer to one request. */
export type UpstreamAnswer = (response: ServerResponse, request: UpstreamRequest) => void | Promise<void>

/** A service that runs. */
export interface Upstream {
  readonly url: string
  /** Requests in the order of their arrival. */
  readonly requests: readonly UpstreamRequest[]
  /** Connections that were opened so far. */
  connections(): number
  /** Changes what is answered from now on. */
  answerWith(answer: UpstreamAnswer): void
  stop(): Promise<void>
}

/** Answers with messages and a status, as `serve` does. */
export function answering(status: Status, ...messages: readonly Uint8Array[]): UpstreamAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
    for (const message of messages) response.write(encodeFrame(0, message))
    response.end(encodeTrailersFrame(status))
  }
}

/** Starts a service on a port that the system chooses. */
export async function startUpstream(first: UpstreamAnswer): Promise<Upstream> {
  const requests: UpstreamRequest[] = []
  const sockets = new Set<Socket>()
  let answer = first
  let opened = 0
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    const whenLeft = new Promise<void>((resolve) => {
      response.once('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    for await (const chunk of incoming) chunks.push(chunk)
    const { url: path = '', headers } = incoming
    const request = { path, headers, body: Buffer.concat(chunks), whenLeft }
    requests.push(request)
    await answer(response, request)
  })
  server.on('connection', (socket) => {
    opened++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => opened,
    answerWith(next) {
      answer = next
    },
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
