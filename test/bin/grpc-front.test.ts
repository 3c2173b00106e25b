import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { connect as connectTcp, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import {
  type ChannelCredentials,
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type GrpcFront, type GrpcFrontOptions, startGrpcFront } from '#bin/grpc-front/front.ts'
import { projectRoot } from '#bin/project.ts'
import { encodeFrame, encodeTrailersFrame } from '#proto-json/index.ts'
import { makeFolder } from '../support/folder.ts'
import { answering, startUpstream, type Upstream } from '../support/grpc-web-upstream.ts'
import { listen } from '../support/listen.ts'
import { eventually, once } from '../support/wait.ts'

const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit'
const ok = { code: 0, message: '' } as const
const asking = Buffer.from('a question')
const echo = answering(ok, Buffer.from('an answer'))

let upstream: Upstream
let front: GrpcFront
const clients: Client[] = []
const sessions: ClientHttp2Session[] = []

beforeEach(async () => {
  upstream = await startUpstream(echo)
  front = await startFront()
})

afterEach(async () => {
  for (const client of clients.splice(0)) client.close()
  for (const session of sessions.splice(0)) session.destroy()
  await front.stop(100)
  await upstream.stop()
})

function startFront(options: Partial<GrpcFrontOptions> = {}): Promise<GrpcFront> {
  return startGrpcFront({ upstream: upstream.url, port: 0, ...options })
}

/** Replaces the front of this test by one with other options. */
async function restartFront(options: Partial<GrpcFrontOptions>): Promise<void> {
  await front.stop(0)
  front = await startFront(options)
}

function open(by: ChannelCredentials = credentials.createInsecure(), port = front.port): Client {
  const client = new Client(`localhost:${port}`, by, {
    'grpc.max_receive_message_length': -1,
    'grpc.enable_retries': 0,
  })
  clients.push(client)
  return client
}

interface Outcome {
  readonly code: number
  readonly details: string
  readonly answer: string | null
  readonly trailers: Metadata | null
}

interface Asking {
  readonly message?: Buffer
  readonly deadlineMs?: number
  readonly metadata?: Metadata
  readonly begin?: (call: ClientUnaryCall) => void
}

/** Calls a method with bytes as its message; resolves with every outcome. */
function call(client: Client, { message = asking, deadlineMs, metadata, begin }: Asking = {}): Promise<Outcome> {
  const same = (bytes: Buffer) => bytes
  const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs }
  return new Promise((resolve) => {
    const result: { error: ServiceError | null; answer: string | null } = { error: null, answer: null }
    const running = client.makeUnaryRequest(
      path,
      same,
      same,
      message,
      metadata ?? new Metadata(),
      options,
      (error, answer) => {
        result.error = error
        result.answer = answer?.toString() ?? null
      },
    )
    running.on('status', ({ code, details, metadata: trailers }: StatusObject) =>
      resolve({ code, details, answer: result.answer, trailers: trailers ?? null }),
    )
    begin?.(running)
  })
}

/** A call that crosses the announcement on its way is refused unbegun, and this client leaves it to its caller to ask again. */
async function callAgainWhenRefused(client: Client): Promise<Outcome> {
  const outcome = await call(client)
  return outcome.details === 'Stream refused by server' ? call(client) : outcome
}

const codeOf = async (outcome: Promise<Outcome>) => (await outcome).code

/** A raw HTTP/2 client, for what a gRPC library would not do. */
function openRaw(): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${front.port}`)
  session.on('error', () => {})
  sessions.push(session)
  return session
}

const rawHeaders = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }

describe('forward()', () => {
  it('forwards a call as gRPC-Web and answers with its message and status', async () => {
    expect(await call(open())).toMatchObject({ code: 0, answer: 'an answer' })
    const [request] = upstream.requests
    expect(request).toMatchObject({
      path,
      headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' },
    })
    expect(request?.body.equals(encodeFrame(0, asking))).toBe(true)
  })

  it('passes metadata on in both directions, and no header of the connection', async () => {
    upstream.answerWith((response) => {
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
      const trailers = Buffer.from(
        'grpc-status: 0\r\nx-revision:7\r\nconnection:close\r\nbad name:1\r\nx-bad:\u00e9\r\n',
      )
      response.end(Buffer.concat([encodeFrame(0, Buffer.from('m')), encodeFrame(0x80, trailers)]))
    })
    const metadata = new Metadata()
    metadata.set('x-caller', 'envoy')
    metadata.set('x-trace-bin', Buffer.from([1, 2, 3]))
    const { code, trailers } = await call(open(), { metadata })
    expect([code, trailers?.get('x-revision')]).toEqual([0, ['7']])
    expect(upstream.requests[0]?.headers).toMatchObject({ 'x-caller': 'envoy', 'x-trace-bin': 'AQID' })
    expect(upstream.requests[0]?.headers.te).toBeUndefined()
  })

  it('passes an error on with its message, as it was written', async () => {
    upstream.answerWith(answering({ code: 2, message: 'rate limit domain must not be empty: "é" 100%' }))
    expect(await call(open())).toMatchObject({ code: 2, details: 'rate limit domain must not be empty: "é" 100%' })
  })

  it('passes every code on', async () => {
    const client = open()
    for (const code of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as const) {
      upstream.answerWith(answering({ code, message: 'x' }))
      expect(await codeOf(call(client))).toBe(code)
    }
  })

  it('reads an answer however it is cut into chunks', async () => {
    upstream.answerWith(async (response) => {
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
      for (const byte of Buffer.concat([encodeFrame(0, Buffer.from('slowly')), encodeTrailersFrame(ok)])) {
        response.write(Buffer.from([byte]))
        await sleep(1)
      }
      response.end()
    })
    expect(await call(open())).toMatchObject({ code: 0, answer: 'slowly' })
  })

  it('passes a stream of messages on as they come', async () => {
    let finish = () => {}
    upstream.answerWith((response) => {
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
      response.write(encodeFrame(0, Buffer.from('first')))
      finish = () => response.end(Buffer.concat([encodeFrame(0, Buffer.from('second')), encodeTrailersFrame(ok)]))
    })
    const same = (bytes: Buffer) => bytes
    const stream = open().makeServerStreamRequest(path, same, same, asking)
    const [first] = await once(stream, 'data')
    expect(String(first)).toBe('first')
    finish()
    const [second] = await once(stream, 'data')
    expect(String(second)).toBe('second')
    const [status] = await once(stream, 'status')
    expect(status.code).toBe(0)
  })

  it('carries a message of a mebibyte in both directions', async () => {
    const large = Buffer.alloc(1024 * 1024, 7)
    upstream.answerWith(answering(ok, large))
    const { code, answer } = await call(open(), { message: large })
    expect([code, answer?.length, upstream.requests[0]?.body.length]).toEqual([0, large.length, large.length + 5])
  })

  it('keeps its connection to the service', async () => {
    const client = open()
    for (let round = 0; round < 20; round++) expect(await codeOf(call(client))).toBe(0)
    expect(upstream.connections()).toBe(1)
  })

  it('answers a hundred calls at once', async () => {
    const client = open()
    const codes = await Promise.all(Array.from({ length: 100 }, () => codeOf(call(client))))
    expect(new Set(codes)).toEqual(new Set([0]))
  })
})

describe('forward(), deadlines', () => {
  it('passes what is left of the deadline on', async () => {
    await call(open(), { deadlineMs: 5000 })
    const timeout = String(upstream.requests[0]?.headers['grpc-timeout'])
    expect(timeout).toMatch(/^\d+m$/)
    expect(Number.parseInt(timeout, 10)).toBeLessThanOrEqual(5000)
    expect(Number.parseInt(timeout, 10)).toBeGreaterThan(3000)
  })

  it('answers DEADLINE_EXCEEDED and cancels its request when the service is slower', async () => {
    upstream.answerWith(() => {})
    const stream = openRaw().request({ ...rawHeaders, 'grpc-timeout': '80m' })
    stream.end(encodeFrame(0, asking))
    const [headers] = await once(stream, 'response')
    expect(headers['grpc-status']).toBe('4')
    await upstream.requests[0]?.whenLeft
  })

  it('answers INVALID_ARGUMENT to a deadline that is none', async () => {
    const stream = openRaw().request({ ...rawHeaders, 'grpc-timeout': 'soon' })
    const [headers] = await once(stream, 'response')
    expect([headers[':status'], headers['grpc-status']]).toEqual([200, '3'])
  })

  it('answers UNAVAILABLE when the service is silent and the caller set no deadline', async () => {
    await restartFront({ bounds: { answerWithinMs: 60 } })
    upstream.answerWith(() => {})
    expect(await call(open())).toMatchObject({ code: 14, details: 'Cannot reach service: it was silent for 60 ms' })
  })
})

describe('forward(), cancellation', () => {
  it('cancels its request when the client cancels', async () => {
    upstream.answerWith(() => {})
    const outcome = call(open(), { begin: (running) => setTimeout(() => running.cancel(), 50) })
    expect(await codeOf(outcome)).toBe(1)
    await upstream.requests[0]?.whenLeft
  })

  it('survives clients that vanish: in the request, while waiting, in the answer, on every kind of reset', async () => {
    upstream.answerWith(async (response) => {
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
      response.write(encodeFrame(0, Buffer.alloc(100_000)))
      await sleep(20)
      response.end(encodeTrailersFrame(ok))
    })
    const resets = [constants.NGHTTP2_CANCEL, constants.NGHTTP2_NO_ERROR, constants.NGHTTP2_INTERNAL_ERROR]
    for (const delayMs of [0, 1, 5, 15, 25]) {
      for (const code of resets) {
        const stream = openRaw().request(rawHeaders)
        stream.on('error', () => {})
        stream.write(encodeFrame(0, asking))
        if (delayMs > 0) stream.end()
        await sleep(delayMs)
        stream.close(code)
      }
      const session = openRaw()
      session
        .request(rawHeaders)
        .on('error', () => {})
        .end(encodeFrame(0, asking))
      await sleep(delayMs)
      session.destroy()
    }
    await sleep(50)
    upstream.answerWith(echo)
    expect(await codeOf(call(open()))).toBe(0)
  })
})

describe('forward(), a service that fails', () => {
  it('answers UNAVAILABLE when no service listens', async () => {
    await upstream.stop()
    expect(await call(open())).toMatchObject({ code: 14, details: 'Cannot reach service: ECONNREFUSED' })
    upstream = await startUpstream(echo)
  })

  it('answers UNAVAILABLE when the service drops the connection, and asks it only once', async () => {
    upstream.answerWith((response) => void response.socket?.destroy())
    expect(await codeOf(call(open()))).toBe(14)
    expect(upstream.requests.length).toBe(1)
  })

  it('answers UNAVAILABLE when the connection is lost in the middle of an answer', async () => {
    upstream.answerWith((response) => {
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
      response.write(encodeFrame(0, Buffer.from('half')))
      setTimeout(() => response.socket?.destroy(), 20)
    })
    expect(await codeOf(call(open()))).toBe(14)
  })

  it('answers UNAVAILABLE when something else than HTTP answers', async () => {
    const noise = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n'))
    await restartFront({ upstream: `http://127.0.0.1:${await listen(noise)}` })
    expect(await codeOf(call(open()))).toBe(14)
    noise.close()
  })

  const web = { 'content-type': 'application/grpc-web+proto' }
  const senseless: readonly (readonly [string, number, Record<string, string>, Uint8Array, number])[] = [
    ['an answer without trailers', 200, web, encodeFrame(0, asking), 13],
    ['an empty answer', 200, web, new Uint8Array(0), 13],
    ['half a frame', 200, web, encodeFrame(0, asking).subarray(0, 8), 13],
    ['a compressed frame', 200, web, encodeFrame(1, asking), 13],
    ['trailers without a status', 200, web, encodeFrame(0x80, Buffer.from('x:1\r\n')), 13],
    ['trailers that are no trailers', 200, web, encodeFrame(0x80, Buffer.from('no colon')), 13],
    ['frames after the end', 200, web, Buffer.concat([encodeTrailersFrame(ok), encodeFrame(0, asking)]), 13],
    ['garbage', 200, web, Buffer.from('\xff\xff\xff\xff\xff\xff', 'latin1'), 8],
    ['HTML with 200', 200, { 'content-type': 'text/html' }, Buffer.from('<html>'), 2],
    ['HTTP 401', 401, {}, new Uint8Array(0), 16],
    ['HTTP 403', 403, {}, new Uint8Array(0), 7],
    ['HTTP 404', 404, {}, Buffer.from('404 page not found'), 12],
    ['HTTP 429', 429, {}, new Uint8Array(0), 14],
    ['HTTP 500', 500, {}, new Uint8Array(0), 2],
    ['HTTP 503', 503, {}, new Uint8Array(0), 14],
    ['a status in the headers', 200, { ...web, 'grpc-status': '9', 'grpc-message': 'not%20now' }, new Uint8Array(0), 9],
  ]
  for (const [what, httpStatus, headers, body, code] of senseless) {
    it(`answers ${code} to ${what}`, async () => {
      upstream.answerWith((response) => void response.writeHead(httpStatus, headers).end(body))
      expect(await codeOf(call(open()))).toBe(code)
    })
  }

  it('answers RESOURCE_EXHAUSTED to a message above the bound, in either direction', async () => {
    await restartFront({ bounds: { maxMessageBytes: 1000 } })
    expect(await codeOf(call(open(), { message: Buffer.alloc(1000) }))).toBe(0)
    expect(await codeOf(call(open(), { message: Buffer.alloc(1001) }))).toBe(8)
    expect(await codeOf(call(open(), { message: Buffer.alloc(3_000_000) }))).toBe(8)
    upstream.answerWith(answering(ok, Buffer.alloc(1001)))
    expect(await codeOf(call(open()))).toBe(8)
  })
})

describe('forward(), HTTP', () => {
  it('answers 405 to another method and 415 to another content type', async () => {
    const session = openRaw()
    const get = session.request({ ':method': 'GET', ':path': '/' })
    expect((await once(get, 'response'))[0][':status']).toBe(405)
    const json = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' })
    expect((await once(json, 'response'))[0][':status']).toBe(415)
  })

  it('answers UNIMPLEMENTED to a gRPC content type that it does not know', async () => {
    const stream = openRaw().request({ ...rawHeaders, 'content-type': 'application/grpc+thrift' })
    expect((await once(stream, 'response'))[0]['grpc-status']).toBe('12')
  })

  it('survives a client that does not speak HTTP/2', async () => {
    const socket = connectTcp(front.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'close')
    expect(await codeOf(call(open()))).toBe(0)
  })
})

describe('connection age', () => {
  it('says GOAWAY after the age, and clients go on over a new connection', async () => {
    await restartFront({ age: { maxAgeMs: 100, graceMs: 60_000 } })
    const session = openRaw()
    const goaways: number[] = []
    session.on('goaway', (_, lastStream) => goaways.push(lastStream))
    await once(session, 'close')
    expect(goaways[0]).toBe(2 ** 31 - 1)
    await restartFront({ age: { maxAgeMs: 500, graceMs: 60_000 } })
    const client = open()
    for (let round = 0; round < 50; round++) {
      expect(await codeOf(callAgainWhenRefused(client))).toBe(0)
      await sleep(25)
    }
  })

  it('lets a call that runs finish after GOAWAY', async () => {
    await restartFront({ age: { maxAgeMs: 60, graceMs: 60_000 } })
    upstream.answerWith(async (response, request) => {
      await sleep(300)
      await echo(response, request)
    })
    expect(await call(open())).toMatchObject({ code: 0, answer: 'an answer' })
  })

  it('cuts the connection when the grace is over', async () => {
    await restartFront({ age: { maxAgeMs: 60, graceMs: 100 } })
    upstream.answerWith(() => {})
    expect(await codeOf(call(open()))).toBe(14)
  })

  it('spreads the ends of connections that began together', async () => {
    await restartFront({ age: { maxAgeMs: 1000, graceMs: 1000 } })
    const ends = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const session = openRaw()
        await once(session, 'connect')
        const started = performance.now()
        await once(session, 'goaway')
        return performance.now() - started
      }),
    )
    expect(Math.min(...ends)).toBeGreaterThan(850)
    expect(Math.max(...ends) - Math.min(...ends)).toBeGreaterThan(20)
  })
})

describe('stop()', () => {
  it('finishes calls that run and takes no new connection', async () => {
    upstream.answerWith(async (response, request) => {
      await sleep(200)
      await echo(response, request)
    })
    const outcome = call(open())
    await eventually('a request', () => upstream.requests.length > 0, upstream.requests)
    const stopped = front.stop()
    const late = connectTcp(front.port, '127.0.0.1')
    const [error] = await once(late, 'error')
    expect(error.code).toBe('ECONNREFUSED')
    expect(await outcome).toMatchObject({ code: 0, answer: 'an answer' })
    await stopped
    front = await startFront()
  })

  it('cuts what still runs when its time is over', async () => {
    upstream.answerWith(() => {})
    const outcome = call(open())
    await eventually('a request', () => upstream.requests.length > 0, upstream.requests)
    await front.stop(50)
    expect(await codeOf(outcome)).toBe(14)
    await upstream.requests[0]?.whenLeft
    front = await startFront()
  })
})

describe('startGrpcFront()', () => {
  const pem = (name: string) => readFileSync(join(projectRoot, 'test/vectors/tls', name))

  it('speaks TLS', async () => {
    await restartFront({ tls: { cert: pem('server.pem'), key: pem('server.key') } })
    expect(await call(open(credentials.createSsl(pem('ca.pem'))))).toMatchObject({ code: 0, answer: 'an answer' })
    expect(await codeOf(call(open(), { deadlineMs: 500 }))).not.toBe(0)
  })

  it('answers HTTP/1.1 within TLS with a sentence', async () => {
    await restartFront({ tls: { cert: pem('server.pem'), key: pem('server.key') } })
    const socket = connectTls({ port: front.port, host: '127.0.0.1', rejectUnauthorized: false })
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'close')
    expect(Buffer.concat(chunks).toString()).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nCannot answer: this port speaks gRPC over HTTP\/2 only/,
    )
  })

  it('takes only clients of its authority, and only the host of its settings', async () => {
    const tls = { cert: pem('server.pem'), key: pem('server.key'), clientCa: pem('ca.pem') }
    const known = credentials.createSsl(pem('ca.pem'), pem('client.key'), pem('client.pem'))
    const unknown = credentials.createSsl(pem('ca.pem'))
    await restartFront({ tls })
    expect(await codeOf(call(open(known)))).toBe(0)
    expect(await codeOf(call(open(unknown), { deadlineMs: 1000 }))).not.toBe(0)
    await restartFront({ tls: { ...tls, clientSan: 'client.test' } })
    expect(await codeOf(call(open(known)))).toBe(0)
    await restartFront({ tls: { ...tls, clientSan: 'other.test' } })
    expect(await codeOf(call(open(known), { deadlineMs: 1000 }))).not.toBe(0)
  })

  it('refuses an upstream that is not an HTTP address, and a port that is taken', async () => {
    await expect(startGrpcFront({ upstream: 'ftp://x', port: 0 })).rejects.toThrow('expected http:// or https://')
    await expect(startFront({ port: front.port })).rejects.toThrow('EADDRINUSE')
  })
})

describe('bin/grpc-front.ts', () => {
  const start = (args: readonly string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [join(projectRoot, 'bin/run.mjs'), 'grpc-front', ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  it('says what would be right for an upstream without its protocol and a port that is taken', async () => {
    const complaint = async (...args: readonly string[]) => {
      const child = start(args)
      return String((await once(child.stderr ?? child, 'data'))[0])
    }
    expect(await complaint('--upstream', 'limits.example.com')).toBe(
      'Cannot start: --upstream is "limits.example.com", expected an address such as http://127.0.0.1:8080\n',
    )
    expect(await complaint('--host', '127.0.0.1', '--port', `${front.port}`)).toBe(
      `Cannot start: port ${front.port} of 127.0.0.1 is taken (EADDRINUSE), choose another with --port\n`,
    )
  })

  it('listens on the UNIX socket of GRPC_UDS, also where a killed front left its file, and not where one runs', async () => {
    const socket = join(makeFolder(onTestFinished), 'grpc.sock')
    const args = ['--upstream', upstream.url]
    const killed = start(args, { GRPC_UDS: socket })
    await once(killed.stdout ?? killed, 'data')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const child = start(args, { GRPC_UDS: socket })
    expect(String((await once(child.stdout ?? child, 'data'))[0])).toBe(`gRPC on ${socket} -> ${upstream.url}\n`)
    const client = new Client(`unix:${socket}`, credentials.createInsecure())
    clients.push(client)
    expect(await codeOf(call(client))).toBe(0)
    const second = start(args, { GRPC_UDS: socket })
    expect(String((await once(second.stderr ?? second, 'data'))[0])).toBe(
      `Cannot start: ${socket} is taken (EADDRINUSE), name another with GRPC_UDS\n`,
    )
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(existsSync(socket)).toBe(false)
  })

  it('forwards until SIGTERM, which it answers by finishing and exit code 0', async () => {
    const child = start(['--port', '0', '--upstream', upstream.url], { GRPC_HOST: '127.0.0.1' })
    const [line] = await once(child.stdout ?? child, 'data')
    const port = Number(/127\.0\.0\.1:(\d+) ->/.exec(String(line))?.[1])
    expect(await codeOf(call(open(credentials.createInsecure(), port)))).toBe(0)
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('says in one line what is wrong and exits with 1', async () => {
    const wrong: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
      [['--port', '99999'], {}, /^Cannot start: --port is "99999", expected a whole number up to 65535\n$/],
      [
        ['--port', '0', '--upstream', 'ftp://x'],
        {},
        /^Cannot start: --upstream is "ftp:\/\/x", expected an address such as http:/,
      ],
      [[], { GRPC_MAX_CONNECTION_AGE: 'soon' }, /GRPC_MAX_CONNECTION_AGE.*"soon"/],
      [[], { GRPC_SERVER_USE_TLS: 'true', GRPC_SERVER_TLS_CERT: '/no/such' }, /GRPC_SERVER_TLS_CERT is "\/no\/such"/],
    ]
    for (const [args, env, expected] of wrong) {
      const child = start(args, env)
      const [text] = await once(child.stderr ?? child, 'data')
      expect(String(text)).toMatch(expected)
      expect((await once(child, 'exit'))[0]).toBe(1)
    }
  })
})
