/** Bounds of the gRPC front before hostile HTTP/2 clients: memory, connections, and the methods that it passes on. */

import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defaultBounds, type FrontBounds, type GrpcFront, startGrpcFront } from '#bin/grpc-front/front.ts'
import { encodeFrame, healthCheckPath, shouldRateLimitPath } from '#proto-json/index.ts'
import { answering, startUpstream, type Upstream } from '../support/grpc-web-upstream.ts'
import { eventually, once } from '../support/wait.ts'

let upstream: Upstream
let front: GrpcFront
const sessions: ClientHttp2Session[] = []
const sockets: Socket[] = []

beforeEach(async () => {
  upstream = await startUpstream(answering({ code: 0, message: '' }, Buffer.from('an answer')))
  front = await start({})
})

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy()
  for (const socket of sockets.splice(0)) socket.destroy()
  await front.stop(0)
  await upstream.stop()
})

function start(bounds: Partial<FrontBounds>): Promise<GrpcFront> {
  return startGrpcFront({ upstream: upstream.url, port: 0, bounds })
}

async function restart(bounds: Partial<FrontBounds>): Promise<void> {
  await front.stop(0)
  front = await start(bounds)
}

function open(): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${front.port}`)
  session.on('error', () => {})
  sessions.push(session)
  return session
}

const callHeaders = {
  ':method': 'POST',
  ':path': shouldRateLimitPath,
  'content-type': 'application/grpc',
  te: 'trailers',
}

function begin(session: ClientHttp2Session, headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream {
  const stream = session.request({ ...callHeaders, ...headers })
  stream.on('error', () => {})
  return stream
}

/** The status of a call, wherever the answer has it. */
function statusOf(stream: ClientHttp2Stream): Promise<{ readonly code: string; readonly message: string }> {
  return new Promise((resolve) => {
    let found: IncomingHttpHeaders = {}
    const look = (headers: IncomingHttpHeaders) => {
      if (headers['grpc-status'] !== undefined) found = headers
    }
    stream.on('response', look)
    stream.on('trailers', look)
    stream.on('close', () =>
      resolve({ code: String(found['grpc-status']), message: decodeURIComponent(String(found['grpc-message'] ?? '')) }),
    )
    stream.resume()
  })
}

/** An ordinary call on a separate connection. */
async function ask(): Promise<string> {
  const stream = begin(open())
  stream.end(encodeFrame(0, Buffer.from('a question')))
  return (await statusOf(stream)).code
}

describe('methods', () => {
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"dev.mine"}')
  const others = [
    '/streamnet/admin/rpc/v1',
    '/rpc/v1',
    '/ratelimit/config',
    '/json',
    '/api/v1/attack/enable',
    '//x',
    `${shouldRateLimitPath}?x=1`,
    `/x/..${shouldRateLimitPath}`,
    '/envoy.service.ratelimit.v2.RateLimitService/ShouldRateLimit',
    '/envoy.service.ratelimit.v3.RateLimitService/ShouldRatelimit',
  ]
  for (const path of others) {
    it(`forwards nothing to ${path} and names the methods that there are`, async () => {
      for (const type of ['application/grpc', 'application/grpc+json']) {
        const stream = begin(open(), { ':path': path, 'content-type': type })
        stream.end(body)
        const { code, message } = await statusOf(stream)
        expect(code).toBe('12')
        expect(message).toContain(`there is no ${JSON.stringify(path)}, expected one of ${shouldRateLimitPath}`)
      }
      expect(upstream.requests).toEqual([])
    })
  }

  it('forwards health checks', async () => {
    const stream = begin(open(), { ':path': healthCheckPath })
    stream.end(encodeFrame(0, new Uint8Array(0)))
    expect((await statusOf(stream)).code).toBe('0')
    expect(upstream.requests.map(({ path }) => path)).toEqual([healthCheckPath])
  })

  it('names the content types that it takes', async () => {
    const stream = begin(open(), { 'content-type': 'application/grpc-web+proto' })
    stream.end(body)
    expect(await statusOf(stream)).toEqual({
      code: '12',
      message:
        'Cannot read call: its content type is "application/grpc-web+proto", expected application/grpc, application/grpc+proto, application/grpc+json',
    })
    expect(upstream.requests).toEqual([])
  })
})

/** Settles when a connection is closed, also by a reset. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.on('error', () => {}).once('close', () => resolve()))
}

/** Reads as a client of HTTP/1.x does, to the last byte. */
function plainAnswer(): string {
  const body = `Cannot answer: this port speaks gRPC over HTTP/2 only, expected a gRPC client; HTTP is at ${upstream.url}\n`
  const fields = `content-length: ${body.length}\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n`
  return `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n${fields}${body}`
}

describe('what a page in a browser can send', () => {
  const received = (socket: Socket) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    return once(socket, 'close').then(() => Buffer.concat(chunks).toString('latin1'))
  }

  it('reaches no service: HTTP/1.1, and its upgrade to HTTP/2, get a sentence', async () => {
    const upgrade = 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n'
    for (const fields of ['', upgrade]) {
      const socket = connectTcp(front.port, '127.0.0.1')
      sockets.push(socket)
      const answer = received(socket)
      socket.write(
        `POST ${shouldRateLimitPath} HTTP/1.1\r\nhost: rebound.example\r\n${fields}content-type: application/grpc\r\ncontent-length: 5\r\n\r\n\0\0\0\0\0`,
      )
      expect(await answer).toBe(plainAnswer())
    }
    expect(upstream.requests).toEqual([])
  })

  it('has its preflight request refused', async () => {
    const stream = open().request({ ':method': 'OPTIONS', ':path': shouldRateLimitPath, origin: 'https://a.example' })
    const [headers] = await once(stream, 'response')
    expect([headers[':status'], headers['access-control-allow-origin']]).toEqual([405, undefined])
  })
})

describe('a call that is never finished', () => {
  it('is ended after the time for its message', async () => {
    await restart({ messageWithinMs: 50 })
    const stream = begin(open())
    stream.write(Buffer.from([0, 0, 0, 1]))
    expect(await statusOf(stream)).toEqual({
      code: '4',
      message: 'Cannot read message: it is not complete after 50 ms',
    })
  })

  it('is ended when its service is reflection and nothing is asked', async () => {
    await restart({ messageWithinMs: 50 })
    const stream = begin(open(), { ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' })
    stream.write(Buffer.from([0, 0, 0]))
    expect(await statusOf(stream)).toMatchObject({ code: '4' })
  })

  it('is ended when its service is reflection and the question comes byte by byte', async () => {
    await restart({ messageWithinMs: 200 })
    const stream = begin(open(), { ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' })
    stream.write(Buffer.from([0, 0, 0, 1, 0]))
    const dripping = setInterval(() => stream.write(Buffer.alloc(1)), 50)
    const ended = await statusOf(stream)
    clearInterval(dripping)
    expect(ended).toEqual({ code: '4', message: 'Cannot read message: it is not complete after 200 ms' })
  })

  it('makes room when requests hold too many bytes: the oldest unfinished ones end, an ordinary call passes', async () => {
    await restart({ maxMessageBytes: 100_000, maxBufferedBytes: 400_000 })
    const session = open()
    const chunk = Buffer.alloc(90_000)
    chunk.writeUInt32BE(99_000, 1)
    const calls = Array.from({ length: 12 }, () => {
      const stream = begin(session)
      stream.write(chunk)
      return { stream, status: statusOf(stream) }
    })
    // Four of them fit; the eight that began before those end.
    const ended = await Promise.all(calls.slice(0, 8).map(({ status }) => status))
    expect(new Set(ended.map(({ code }) => code))).toEqual(new Set(['8']))
    expect(ended[0]?.message).toBe(
      'Cannot take call: requests hold 400000 bytes already, expected fewer (GRPC_MAX_BUFFERED_BYTES)',
    )
    expect(calls.slice(8).filter(({ stream }) => stream.closed)).toEqual([])
    expect(await ask()).toBe('0')
  })

  it('makes room when there are too many calls', async () => {
    await restart({ maxCalls: 10 })
    const session = open()
    const calls = Array.from({ length: 25 }, () => statusOf(begin(session)))
    const ended = await Promise.all(calls.slice(0, 15))
    expect(new Set(ended.map(({ code, message }) => `${code} ${message}`))).toEqual(
      new Set(['8 Cannot take call: 10 run already, expected fewer (GRPC_MAX_CALLS)']),
    )
    expect(await ask()).toBe('0')
  })
})

describe('an answer that is never read', () => {
  it('is given up, and its call makes place for others', async () => {
    await restart({ maxCalls: 10, messageWithinMs: 300 })
    // A window of no octets takes no message.
    const session = connect(`http://127.0.0.1:${front.port}`, { settings: { initialWindowSize: 0 } })
    session.on('error', () => {})
    sessions.push(session)
    const streams = Array.from({ length: 10 }, () => begin(session))
    for (const stream of streams) stream.end(encodeFrame(0, Buffer.from('a question')))
    await eventually('10 requests', () => upstream.requests.length >= 10, upstream.requests)
    await expect.poll(() => streams.filter(({ closed }) => !closed), { timeout: 10_000 }).toEqual([])
    expect(await ask()).toBe('0')
  })
})

describe('connections', () => {
  const asked = async (calls: number) => {
    const { requests } = upstream
    await eventually(`${calls} requests`, () => requests.length >= calls, requests)
  }

  /** A connection that the front has greeted. */
  const connected = async () => {
    const session = open()
    await once(session, 'remoteSettings')
    return session
  }

  it('that say nothing are closed', async () => {
    await restart({ prefaceWithinMs: 50 })
    const socket = connectTcp(front.port, '127.0.0.1')
    sockets.push(socket)
    socket.resume()
    await once(socket, 'close')
  })

  it('that never send enough to tell HTTP/1.x from HTTP/2 are closed, also when the front stops', async () => {
    await restart({ prefaceWithinMs: 50 })
    const first = connectTcp(front.port, '127.0.0.1')
    sockets.push(first.resume())
    first.write('PRI')
    await closed(first)
    await restart({})
    const second = connectTcp(front.port, '127.0.0.1')
    sockets.push(second.resume())
    await once(second, 'connect')
    second.write('PRI * HTTP/')
    const isClosed = closed(second)
    await restart({})
    await isClosed
  })

  it('that begin byte by byte are recognised', async () => {
    const socket = connectTcp(front.port, '127.0.0.1')
    sockets.push(socket.setNoDelay())
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    const whole = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')
    for (const byte of whole) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve))
    // The frame that acknowledges the client's settings (RFC 9113 section 6.5).
    const acknowledgement = Buffer.from([0, 0, 0, 4, 1, 0, 0, 0, 0])
    while (!Buffer.concat(chunks).includes(acknowledgement)) await once(socket, 'data')
  })

  it('that ask nothing get GOAWAY, and a call that runs keeps its own', async () => {
    await restart({ idleMs: 50 })
    let finish = () => {}
    upstream.answerWith((response, request) => {
      finish = () => void answering({ code: 0, message: '' }, Buffer.from('late'))(response, request)
    })
    const busy = open()
    const stream = begin(busy)
    stream.end(encodeFrame(0, Buffer.from('a question')))
    const status = statusOf(stream)
    const quiet = [open(), open()]
    await Promise.all(quiet.map((session) => once(session, 'close')))
    expect([busy.closed, stream.closed]).toEqual([false, false])
    finish()
    expect((await status).code).toBe('0')
    await once(busy, 'close')
  })

  it('are bounded in number: the one without a call for longest goes, those that call stay', async () => {
    await restart({ maxConnections: 3 })
    upstream.answerWith(() => {})
    const calling = begin(open())
    calling.end(encodeFrame(0, Buffer.from('a question')))
    await asked(1)
    for (let round = 0; round < 5; round++) {
      const oldest = await connected()
      await connected()
      const isClosed = once(oldest, 'close')
      await connected()
      await isClosed
    }
    expect(calling.closed).toBe(false)
  })

  it('are refused when every one of them calls', async () => {
    await restart({ maxConnections: 2 })
    upstream.answerWith(() => {})
    for (const session of [open(), open()]) begin(session).end(encodeFrame(0, Buffer.from('a question')))
    await asked(2)
    const late = open()
    await once(late, 'close')
    expect(sessions.slice(0, 2).map(({ destroyed }) => destroyed)).toEqual([false, false])
  })
})

describe('startGrpcFront()', () => {
  it('refuses bounds under which the longest message would never fit', async () => {
    const bounds = { maxMessageBytes: 1000, maxBufferedBytes: 1004 }
    await expect(start(bounds)).rejects.toThrow(
      'Cannot start: GRPC_MAX_BUFFERED_BYTES is 1004, expected at least 1005, one message of --max-message',
    )
  })

  it('has bounds that hold by default', () => {
    expect(defaultBounds).toMatchObject({ maxConnections: 1_000, maxCalls: 10_000, idleMs: 600_000 })
  })
})
