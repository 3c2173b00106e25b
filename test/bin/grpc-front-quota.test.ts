/** Streams of quota assignments through the front, beside services that do not do their part. */

import { createHash } from 'node:crypto'
import type { ClientHttp2Stream } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, toBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, it } from 'vitest'
import { type FrontBounds, startGrpcFront } from '#bin/grpc-front/front.ts'
import { RateLimitQuotaUsageReportsSchema } from '#proto-json/gen/quota_pb.ts'
import { encodeFrame } from '#proto-json/index.ts'
import type { QuotaAction } from '#ratelimit/quota/messages.ts'
import { listen } from '../support/listen.ts'
import { onStreamEnd, openQuotaStream, type StreamEnd } from '../support/quota-stream.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A service that takes connections and does with each what it is given. */
async function startService(serve: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', (head) => serve(socket, head.toString('latin1')))
  })
  const port = await listen(server)
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${port}`
}

/** Answers the handshake of a WebSocket (RFC 6455, 4.2.2). */
function acceptSocket(socket: Socket, head: string): void {
  const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
}

/** One text message of a server, of any length below 2^16 (RFC 6455, 5.2). */
function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.from([0x81, 126, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([head, payload])
}

async function openStreams(
  service: string,
  bounds: Partial<FrontBounds>,
  count: number,
): Promise<readonly ClientHttp2Stream[]> {
  const front = await startGrpcFront({ upstream: service, port: 0, bounds })
  closing.push(() => front.stop(0))
  return Array.from({ length: count }, () => {
    const { stream, close } = openQuotaStream(front.port)
    closing.push(close)
    return stream
  })
}

async function openStream(service: string, bounds: Partial<FrontBounds> = {}): Promise<ClientHttp2Stream> {
  const [stream] = await openStreams(service, bounds, 1)
  if (stream === undefined) throw new Error('no stream')
  return stream
}

function statusOf(stream: ClientHttp2Stream): Promise<StreamEnd> {
  return new Promise((resolve) => onStreamEnd(stream, resolve))
}

/** A message of reports about one bucket with a name of so many characters. */
function report(length: number): Uint8Array {
  const bucketId = { bucket: { name: 'x'.repeat(length) } }
  const message = { domain: 'shop', bucketQuotaUsages: [{ bucketId, numRequestsAllowed: 1n }] }
  return encodeFrame(0, toBinary(RateLimitQuotaUsageReportsSchema, create(RateLimitQuotaUsageReportsSchema, message)))
}

/** The beginning of a message of reports: so many bytes of 99,000. */
function unfinished(bytes: number): Buffer {
  const chunk = Buffer.alloc(bytes)
  chunk.writeUInt32BE(99_000, 1)
  return chunk
}

describe('createQuotaProxy()', () => {
  it('ends a stream whose later message is not complete in time', async () => {
    const stream = await openStream(await startService(acceptSocket), { messageWithinMs: 200 })
    const ended = statusOf(stream)
    stream.write(report(3))
    stream.write(unfinished(1_000))
    expect(await ended).toEqual({ code: '4', message: 'Cannot read message: it is not complete after 200 ms' })
  })

  it('ends a stream whose client ends inside a message with an error', async () => {
    const stream = await openStream(await startService(acceptSocket))
    const ended = statusOf(stream)
    stream.write(report(3))
    stream.end(unfinished(1_000))
    expect(await ended).toEqual({ code: '3', message: 'Cannot read message: the body ends in the middle of a frame' })
  })

  it('counts the bytes of unfinished messages: the oldest ones end, a stream between two messages goes on', async () => {
    const bounds = { maxMessageBytes: 100_000, maxBufferedBytes: 400_000 }
    const [calm, ...others] = await openStreams(await startService(acceptSocket), bounds, 13)
    for (let sent = 0; sent < 9; sent++) calm?.write(report(50_000))
    const ended = new Map<ClientHttp2Stream, StreamEnd>()
    for (const stream of others) {
      onStreamEnd(stream, (end) => ended.set(stream, end))
      stream.write(report(3))
      stream.write(unfinished(90_000))
    }
    // Four of them fit, or three beside a message of the calm stream that is on its way.
    await expect.poll(() => ended.size).toBeGreaterThanOrEqual(8)
    expect(ended.size).toBeLessThanOrEqual(9)
    expect(new Set([...ended.values()].map(({ message }) => message))).toEqual(
      new Set(['Cannot take call: requests hold 400000 bytes already, expected fewer (GRPC_MAX_BUFFERED_BYTES)']),
    )
    expect(calm?.closed).toBe(false)
  })

  it('ends a stream whose reports wait for a service that never opens it, at a mebibyte of them', async () => {
    const stream = await openStream(await startService(() => {}))
    const ended = statusOf(stream)
    for (let sent = 0; sent < 40; sent++) stream.write(report(40_000))
    expect(await ended).toEqual({ code: '8', message: 'Cannot go on: the service does not take reports' })
  })

  it('ends a stream in a content type that is not gRPC, and asks the service nothing', async () => {
    let asked = 0
    const service = await startService(() => {
      asked += 1
    })
    const front = await startGrpcFront({ upstream: service, port: 0 })
    closing.push(() => front.stop(0))
    const { stream, close } = openQuotaStream(front.port, 'text/plain')
    closing.push(close)
    expect(await statusOf(stream)).toEqual({
      code: '12',
      message: 'Cannot read call: its content type is "text/plain", expected application/grpc, application/grpc+proto',
    })
    expect(asked).toBe(0)
  })

  it.each([
    { metadata: {}, client: 'client_address=127.0.0.1' },
    { metadata: { 'x-forwarded-for': '10.0.0.1' }, client: 'client_address=127.0.0.1+10.0.0.1' },
    { metadata: { 'x-quota-client': 'edge-1', 'x-forwarded-for': '10.0.0.1' }, client: 'client_name=edge-1' },
    { metadata: { 'x-quota-client': '' }, client: 'client_address=127.0.0.1' },
    { metadata: { 'x-quota-client': '%HOSTNAME%' }, client: 'client_address=127.0.0.1' },
  ])('tells the service who opened a stream: $metadata, $client', async ({ metadata, client }) => {
    const paths: string[] = []
    const service = await startService((socket, head) => {
      paths.push(/^GET (\S+)/.exec(head)?.[1] ?? '')
      // The question for the number of shards comes first; without an answer there is one.
      if (paths.length === 1) socket.destroy()
    })
    const front = await startGrpcFront({ upstream: service, port: 0 })
    closing.push(() => front.stop(0))
    const { stream, close } = openQuotaStream(front.port, undefined, metadata)
    closing.push(close)
    stream.write(report(3))
    await expect.poll(() => paths.length).toBe(2)
    expect(paths[1]?.split('&').slice(3)).toEqual([client])
  })

  it('waits as long as a timer can, where the bound is longer', async () => {
    const stream = await openStream(await startService(() => {}), { messageWithinMs: 2 ** 31 })
    let end: StreamEnd | null = null
    void statusOf(stream).then((status) => (end = status))
    stream.write(report(3))
    await sleep(200)
    expect(end).toBeNull()
  })

  it('ends a stream that the service does not open in time', async () => {
    const stream = await openStream(await startService(() => {}), { messageWithinMs: 300 })
    const ended = statusOf(stream)
    stream.write(report(3))
    expect(await ended).toEqual({
      code: '14',
      message: 'Cannot carry stream: the service did not open it within 300 ms',
    })
  })

  it('ends a stream whose client reads nothing for a second', async () => {
    const name = [{ key: 'name', value: 'x'.repeat(30_000) }]
    const action: QuotaAction = { bucket: name, seconds: 10, blanket: 'deny' }
    let isGivenUp = false
    const service = await startService((socket, head) => {
      acceptSocket(socket, head)
      socket.on('data', ([first = 0]: Buffer) => {
        // A close (opcode 8) is what the front sends once it has given the stream up.
        if ((first & 0x0f) === 8) isGivenUp = true
        else for (let sent = 0; sent < 100; sent++) socket.write(textFrame(JSON.stringify([action])))
      })
    })
    const stream = await openStream(service)
    const ended = statusOf(stream)
    stream.pause()
    stream.write(report(3))
    await expect.poll(() => isGivenUp).toBe(true)
    stream.resume()
    expect(await ended).toEqual({ code: '8', message: 'Cannot go on: the client has read nothing for 1000 ms' })
  })
})
