/** The HTTP front before a server that shows what it is asked, over raw connections. */

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type HttpFront, type HttpFrontOptions, startHttpFront } from '#bin/http-front/front.ts'
import { createUpstream, type Upstream } from '#bin/http-front/upstream.ts'
import { listen } from '../support/listen.ts'
import { eventually } from '../support/wait.ts'

/** Answers of the server behind the front, by the path of the request. */
type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const behaviours = new Map<string, Behaviour>()
const seen: IncomingMessage[] = []
const server = createServer({ keepAliveTimeout: 600_000 }, (asked, response) => {
  seen.push(asked)
  const path = (asked.url ?? '').split('?')[0] ?? ''
  const behaviour = behaviours.get(path) ?? tell
  behaviour(asked, response)
})

/** Answers with the request itself. */
function tell(asked: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = []
  asked.on('data', (chunk: Buffer) => chunks.push(chunk))
  asked.on('end', () => {
    const { method, url, rawHeaders } = asked
    response.setHeader('content-type', 'application/json')
    // As octets: together with text the headers would be written in its encoding.
    response.end(Buffer.from(JSON.stringify({ method, url, rawHeaders, body: Buffer.concat(chunks).toString() })))
  })
}

let upstream: Upstream
let front: HttpFront
const others: HttpFront[] = []
const sockets: Socket[] = []

beforeAll(async () => {
  upstream = createUpstream({ host: '127.0.0.1', port: await listen(server) })
  front = await startHttpFront({ upstream })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await Promise.all(others.splice(0).map((other) => other.stop(0)))
  seen.length = 0
})
afterAll(async () => {
  await front.stop(0)
  await upstream.close()
  server.closeAllConnections()
  server.close()
})

async function startOther(options: Partial<HttpFrontOptions>): Promise<HttpFront> {
  const other = await startHttpFront({ upstream, ...options })
  others.push(other)
  return other
}

/** A raw connection to a front. */
class Wire {
  readonly socket: Socket
  text = ''
  isClosed = false

  constructor(port = front.port) {
    this.socket = connect({ host: '127.0.0.1', port })
    sockets.push(this.socket)
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

const host = 'host: localhost'
const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])

const urls = () => seen.map(({ url }) => url)

/** Waits until the server was asked so often. */
const asked = (times: number) => eventually(`${times} requests`, () => seen.length === times, urls)

/** Sends a whole request and gives the answer's status line, headers and body as one text. */
async function ask(...lines: readonly string[]): Promise<string> {
  return new Wire().send(...lines).until('closed')
}

/** The request as the server got it, read from its answer. */
function told(answer: string): { method: string; url: string; body: string; headers: Map<string, string> } {
  const { rawHeaders, ...rest } = JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? '{}')
  const headers = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) headers.set(rawHeaders[at], rawHeaders[at + 1])
  return { ...rest, headers }
}

describe('forward()', () => {
  it('passes method, path, query, headers and body on, and the whole answer back', async () => {
    behaviours.set('/cookies', (asked, response) => {
      response.statusCode = 418
      response.statusMessage = 'A teapot'
      response.setHeaders(
        new Map<string, string | string[]>([
          ['set-cookie', ['a=1', 'b=2']],
          ['x-latin', 'caf\u00e9'],
        ]),
      )
      tell(asked, response)
    })
    const answer = await ask(
      ...['PUT /cookies?a=%20b&c HTTP/1.1', host, 'x-one: 1', 'content-length: 5', 'connection: close', ''],
      'hello',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 418 A teapot\r\n/)
    expect(answer.toLowerCase()).toContain('set-cookie: a=1\r\nset-cookie: b=2\r\n')
    expect(answer).toContain('x-latin: caf\u00e9\r\n')
    const { headers, ...rest } = told(answer)
    expect(rest).toEqual({ method: 'PUT', url: '/cookies?a=%20b&c', body: 'hello' })
    expect(Object.fromEntries(headers)).toMatchObject({ host: 'localhost', 'x-one': '1', 'content-length': '5' })
  })

  it('answers HEAD with the headers only, and 204 and 304 without a body', async () => {
    behaviours.set('/head', (_, response) => response.writeHead(200, { 'content-length': '7' }).end('1234567'))
    behaviours.set('/none', (_, response) => response.writeHead(204).end())
    behaviours.set('/same', (_, response) => response.writeHead(304, { etag: '"x"' }).end())
    const wire = new Wire()
    wire.send('HEAD /head HTTP/1.1', host, '', '')
    expect(await wire.until(/content-length: 7[\s\S]*\r\n\r\n$/)).not.toContain('1234567')
    wire.send('GET /none HTTP/1.1', host, '', '')
    await wire.until(/204 No Content[\s\S]*\r\n\r\n$/)
    wire.send('GET /same HTTP/1.1', host, '', '')
    await wire.until(/304 Not Modified[\s\S]*\r\n\r\n$/)
  })

  it('passes bodies without a length both ways, chunk by chunk, while both are open', async () => {
    behaviours.set('/echo', (asked, response) => {
      asked.on('data', (chunk) => response.write(chunk))
      asked.on('end', () => response.end())
    })
    const wire = new Wire().send('POST /echo HTTP/1.1', host, 'transfer-encoding: chunked', '', '3', 'one', '')
    await wire.until(/transfer-encoding: chunked\r\n[\s\S]*\r\n3\r\none\r\n/i)
    wire.send('5', 'three', '')
    await wire.until(/5\r\nthree\r\n/)
    wire.send('0', '', '')
    await wire.until(/0\r\n\r\n$/)
  })

  it('passes a long body on byte by byte', async () => {
    behaviours.set('/count', (asked, response) => {
      let [bytes, sum] = [0, 0]
      asked.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        for (const byte of chunk) sum = (sum * 31 + byte) % 65_521
      })
      asked.on('end', () => response.end(`${bytes} ${sum}`))
    })
    const body = Buffer.alloc(3_000_000).map((_, at) => (at * 7) % 251)
    let sum = 0
    for (const byte of body) sum = (sum * 31 + byte) % 65_521
    const answer = await fetch(`http://127.0.0.1:${front.port}/count`, { method: 'POST', body })
    expect(await answer.text()).toBe(`3000000 ${sum}`)
  })

  it('sends the head of an event stream at once, and each event when it comes', async () => {
    let stream: ServerResponse | undefined
    behaviours.set('/events', (_, response) => {
      stream = response
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const wire = new Wire().send('GET /events HTTP/1.1', host, '', '')
    await wire.until(/text\/event-stream[\s\S]*\r\n\r\n$/)
    stream?.write('data: 1\n\n')
    await wire.until(/data: 1\n\n/)
    stream?.end()
    await wire.until(/0\r\n\r\n$/)
  })

  it('ends the request to the service when its client leaves, before and during the answer', async () => {
    const ended: string[] = []
    behaviours.set('/mute', (asked) => asked.socket.once('close', () => ended.push('mute')))
    behaviours.set('/talk', (asked, response) => {
      response.write('x')
      asked.socket.once('close', () => ended.push('talk'))
    })
    const mute = new Wire().send('POST /mute HTTP/1.1', host, 'content-length: 2', '', 'hi')
    await asked(1)
    mute.socket.destroy()
    const talk = new Wire().send('GET /talk HTTP/1.1', host, '', '')
    await talk.until(/\r\nx\r\n$/)
    talk.socket.destroy()
    await eventually('two ends', () => ended.length === 2, ended)
    const upload = new Wire().send('POST /count HTTP/1.1', host, 'content-length: 200000', '', 'part of it')
    await asked(3)
    const gone = new Promise((resolve) => seen[2]?.socket.once('close', resolve))
    upload.socket.destroy()
    await gone
    await eventually('no connection in use', () => upstream.inUse() === 0, upstream.inUse)
  })

  it('ends an answer where the service ends it, and answers 502 or 503 without one', async () => {
    behaviours.set('/half', (asked, response) => {
      response.write('half')
      setImmediate(() => asked.socket.destroy())
    })
    behaviours.set('/gone', (asked) => asked.socket.destroy())
    const half = await ask('GET /half HTTP/1.1', host, '', '')
    expect(half).toContain('half')
    expect(half).not.toMatch(/0\r\n\r\n$/)
    const gone = new Wire().send('GET /gone HTTP/1.1', host, '', '')
    await gone.until(/502 Bad Gateway[\s\S]*Cannot reach the service: it closed the connection before it answered\n$/)
    // The client's own connection goes on.
    gone.send('GET /after HTTP/1.1', host, '', '')
    await gone.until(/"url":"\/after"/)
    const nowhere = createUpstream({ socketPath: '/nowhere/at-all' })
    const other = await startOther({ upstream: nowhere })
    const answer = await fetch(`http://127.0.0.1:${other.port}/`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.text()).toMatch(/^Cannot reach the service: it does not run, /)
    await nowhere.close()
  })

  it('asks a GET again whose connection the service closes, once and over a new one, and a POST never', async () => {
    const closed: string[] = []
    behaviours.set('/closing', (asked, response) => {
      if (closed.length === 0) {
        closed.push(asked.method ?? '')
        asked.socket.destroy()
      } else tell(asked, response)
    })
    const again = async (method: string) => {
      closed.length = 0
      await fetch(`http://127.0.0.1:${front.port}/before`)
      seen.length = 0
      return (await fetch(`http://127.0.0.1:${front.port}/closing`, { method })).status
    }
    expect(await again('GET')).toBe(200)
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
    expect(await again('POST')).toBe(502)
    expect(seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it('sends no request over a used connection while the service is slow', async () => {
    behaviours.set('/slow', (asked, response) => setTimeout(() => tell(asked, response), 300))
    const { port } = server.address() as AddressInfo // an address of TCP
    const hasty = createUpstream({ host: '127.0.0.1', port }, { reusableMs: 200 })
    const other = await startOther({ upstream: hasty })
    await fetch(`http://127.0.0.1:${other.port}/slow`)
    await fetch(`http://127.0.0.1:${other.port}/first`)
    await fetch(`http://127.0.0.1:${other.port}/second`)
    expect(new Set(seen.map(({ socket }) => socket)).size).toBe(3)
    await hasty.close()
  })

  it('lets a client that still sends read an answer that came early', async () => {
    behaviours.set('/early', (asked, response) => {
      response.writeHead(413, { 'content-length': '5' }).end('large')
      asked.resume()
    })
    const wire = new Wire().send('POST /early HTTP/1.1', host, 'content-length: 1000000', '', 'a')
    await wire.until(/413 Payload Too Large[\s\S]*large$/)
    wire.socket.write(Buffer.alloc(999_999))
    wire.send('GET /next HTTP/1.1', host, '', '')
    await wire.until(/"url":"\/next"/)
  })

  it('reads an answer no faster than its client does', async () => {
    let sent = 0
    behaviours.set('/flood', (_, response) => {
      const chunk = Buffer.alloc(64 * 1024)
      const pour = () => {
        while (!response.destroyed && sent < 512 * 1024 * 1024) {
          sent += chunk.length
          if (!response.write(chunk)) return void response.once('drain', pour)
        }
      }
      pour()
    })
    const wire = new Wire()
    wire.socket.pause()
    wire.send('GET /flood HTTP/1.1', host, '', '')
    let before = -1
    // Until it stops: the buffers of two connections are full.
    while (sent === 0 || sent !== before) {
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  it('keeps what belongs to one connection, and the control fields of the runtime, from the service', async () => {
    const answer = await ask(
      ...['POST /x HTTP/1.1', host, 'connection: close, x-private, te', 'x-private: 1', 'te: trailers'],
      ...['keep-alive: timeout=1', 'proxy-connection: x', 'proxy-authorization: Basic x', 'upgrade: h2c'],
      ...[
        'mf-cf-blob: {',
        'MF-Route-Override: x',
        'CF-Connecting-IP: 192.0.2.1',
        'authorization: Bearer x',
        'content-length: 1',
        '',
        'y',
      ],
    )
    const { headers, body } = told(answer)
    const names = ['authorization', 'cf-connecting-ip', 'connection', 'content-length', 'host']
    expect([...headers.keys()].sort()).toEqual(names)
    expect(headers.get('cf-connecting-ip')).toMatch(/^(::ffff:)?127\.0\.0\.1$/)
    expect([headers.get('connection'), body]).toEqual(['keep-alive', 'y'])
    behaviours.set('/leaky', (_, response) => {
      response.writeHead(200, { connection: 'close', 'keep-alive': 'timeout=1', upgrade: 'h2c', 'x-own': '1' })
      response.end('x')
    })
    const leaky = await new Wire().send('GET /leaky HTTP/1.1', host, '', '').until(/0\r\n\r\n$/)
    expect(leaky).toContain('x-own: 1')
    expect(leaky).toMatch(/\r\nConnection: keep-alive\r\n/)
    expect(leaky).toMatch(/\r\nKeep-Alive: timeout=3660\r\n/)
    expect(leaky).not.toContain('h2c')
  })

  it('sets its own fields instead of the client’s', async () => {
    const other = await startOther({ fields: { authorization: 'Bearer own' } })
    const answer = await fetch(`http://127.0.0.1:${other.port}/`, { headers: { authorization: 'Bearer theirs' } })
    expect(told(await answer.text()).headers.get('authorization')).toBe('Bearer own')
  })

  it('answers 503 beyond the bound of requests at once', async () => {
    const narrow = createUpstream(
      { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
      { maxConnections: 1 },
    )
    const other = await startOther({ upstream: narrow })
    const first = new Wire(other.port).send('GET /mute HTTP/1.1', host, '', '')
    await asked(1)
    const second = await fetch(`http://127.0.0.1:${other.port}/`)
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    await second.text()
    first.socket.destroy()
    await eventually('no connection in use', () => narrow.inUse() === 0, narrow.inUse)
    expect((await fetch(`http://127.0.0.1:${other.port}/`)).status).toBe(200)
    await narrow.close()
  })
})

describe('what the runtime does not understand', () => {
  it('is HTTP/1.0, with a Host header and without, kept alive when it asks for that', async () => {
    expect(statusOf(await ask('GET /old HTTP/1.0', '', ''))).toBe(200)
    const named = await ask('GET /old HTTP/1.0', 'host: localhost:1', '', '')
    expect(told(named).headers.get('host')).toBe('localhost:1')
    expect(named).not.toMatch(/transfer-encoding/i)
    const kept = new Wire().send('GET /a HTTP/1.0', host, 'connection: keep-alive', '', '')
    await kept.until(/"url":"\/a"/)
    kept.send('GET /b HTTP/1.0', host, '', '')
    expect(await kept.until('closed')).toContain('"url":"/b"')
    behaviours.set('/chunks', (_, response) => {
      response.write('one')
      response.end('two')
    })
    // What has no length ends with the connection.
    expect(await ask('GET /chunks HTTP/1.0', host, 'connection: keep-alive', '', '')).toMatch(/\r\n\r\nonetwo$/)
  })

  it('is an absolute target, whose authority counts before the Host header', async () => {
    const answer = await ask(
      ...['GET http://LOCALHOST:8080/path?q HTTP/1.1', 'host: evil.example', 'connection: close', '', ''],
    )
    const { url, headers } = told(answer)
    expect([url, headers.get('host')]).toEqual(['/path?q', 'LOCALHOST:8080'])
    expect(told(await ask('GET http://localhost HTTP/1.1', host, 'connection: close', '', '')).url).toBe('/')
    expect(told(await ask('GET http://localhost?q HTTP/1.1', host, 'connection: close', '', '')).url).toBe('/?q')
    const foreign = await ask('GET http://evil.example/ HTTP/1.1', host, 'connection: close', '', '')
    expect(statusOf(foreign)).toBe(421)
  })

  it('is Expect: 100-continue, which is answered before the body comes', async () => {
    const wire = new Wire().send(
      ...['POST /x HTTP/1.1', host, 'expect: 100-continue', 'content-length: 2', 'connection: close', '', ''],
    )
    await wire.until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    wire.send('ok')
    const { headers, body } = told(await wire.until('closed'))
    expect([headers.has('expect'), body]).toEqual([false, 'ok'])
    const refused = await ask(
      ...['POST /x HTTP/1.1', 'host: evil.example', 'expect: 100-continue', 'content-length: 2'],
      ...['connection: close', '', ''],
    )
    expect(refused).toMatch(/^HTTP\/1\.1 421 /)
  })
})

describe('what is refused', () => {
  it.each([
    ['two lengths', ['content-length: 1', 'content-length: 2']],
    ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked']],
    ['chunks and a length', ['transfer-encoding: chunked', 'content-length: 5']],
    ['a length with a sign', ['content-length: +1']],
    ['a length in hexadecimal', ['content-length: 0x1']],
    ['two hosts', ['host: localhost']],
    ['a folded line', ['x-a: 1', ' 2']],
    ['a space before the colon', ['content-length : 1']],
    ['a bare line feed', ['x-a: 1\ncontent-length: 3']],
    ['an octet zero', ['x-a: \u0000']],
  ])('%s: 400, and the service is not asked', async (_, lines) => {
    const answer = await ask(
      'POST /smuggled HTTP/1.1',
      host,
      ...lines,
      '',
      '0',
      '',
      'GET /second HTTP/1.1',
      host,
      '',
      '',
    )
    expect(statusOf(answer)).toBe(400)
    expect(seen.map(({ url }) => url)).toEqual([])
  })

  it.each(['xchunked', 'gzip', 'gzip, chunked', 'chunked, identity', 'identity'])(
    'the transfer coding %s, and the service is not asked',
    async (coding) => {
      const lines = ['POST / HTTP/1.1', host, `transfer-encoding: ${coding}`, 'connection: close', '']
      expect([400, 501]).toContain(statusOf(await ask(...lines, '0', '', '')))
      expect(seen).toEqual([])
    },
  )

  it('a WebSocket, CONNECT, a target that is not a path, and HTTP/1.1 without a host', async () => {
    const upgrade = ['connection: upgrade, close', 'upgrade: websocket', 'sec-websocket-version: 13']
    expect(statusOf(await ask('GET / HTTP/1.1', host, ...upgrade, '', ''))).toBe(501)
    expect(statusOf(await ask('CONNECT localhost:1 HTTP/1.1', host, '', ''))).toBe(501)
    expect(statusOf(await ask('GET path HTTP/1.1', host, 'connection: close', '', ''))).toBe(400)
    expect(await ask('GET / HTTP/1.1', '', '')).toMatch(/^HTTP\/1\.1 400 [\s\S]*HTTP\/1\.1 needs a Host header\n/)
    expect(seen).toEqual([])
  })

  it.each([
    ['a length that is not a number', 'ZZ'],
    ['a length beyond any body', 'F'.repeat(18)],
    ['a length below its data', '1'],
  ])('chunks with %s: 400, once the request has begun', async (_, length) => {
    behaviours.set('/begun', () => {})
    const lines = ['POST /begun HTTP/1.1', host, 'transfer-encoding: chunked', '', '4', 'some', '']
    const wire = new Wire().send(...lines)
    await asked(1)
    wire.send(length, 'data', '0', '', '')
    expect(await wire.until('closed')).toMatch(
      /^HTTP\/1\.1 400 [\s\S]*Cannot read the request: it is not HTTP\/1\.1\n$/,
    )
    await eventually('the end of its connection', () => seen[0]?.socket.destroyed === true, urls)
  })

  it('an expectation other than 100-continue', async () => {
    const lines = ['POST / HTTP/1.1', host, 'expect: a-pony', 'content-length: 0', 'connection: close']
    expect(await ask(...lines, '', '')).toMatch(/^HTTP\/1\.1 417 [\s\S]*expected 100-continue, or none\n/)
    expect(seen).toEqual([])
  })

  it('HTTP/2, with a GOAWAY that names where native gRPC is answered', async () => {
    const answer = await ask('PRI * HTTP/2.0', '', 'SM', '', '')
    expect(answer).toContain('native gRPC has a separate port')
    expect(Buffer.from(answer, 'latin1').subarray(0, 9)).toEqual(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]))
  })

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.1.2.3', 'a@localhost', '[::2]:80'])(
    'the host %s: 421, and the service is not asked',
    async (name) => {
      expect(await ask('GET / HTTP/1.1', `host: ${name}`, 'connection: close', '', '')).toMatch(
        /^HTTP\/1\.1 421 [\s\S]*expected localhost, the address listened on, or a name given with --allowed-host\n/,
      )
      expect(seen).toEqual([])
    },
  )

  it('neither a host of loopback nor a named one, and no host at all with *', async () => {
    for (const name of ['localhost', 'LocalHost:99', 'localhost.', '127.0.0.1:8080', '127.9.8.7', '[::1]:8080']) {
      expect(statusOf(await ask('GET / HTTP/1.1', `host: ${name}`, 'connection: close', '', ''))).toBe(200)
    }
    const named = await startOther({ allowedHosts: ['Sluice.Example'] })
    const any = await startOther({ allowedHosts: ['*'] })
    const from = async ({ port }: HttpFront, name: string) =>
      statusOf(
        await new Wire(port).send('GET / HTTP/1.1', `host: ${name}`, 'connection: close', '', '').until('closed'),
      )
    expect(await from(named, 'sluice.example:80')).toBe(200)
    expect(await from(named, 'other.example')).toBe(421)
    expect(await from(any, 'other.example')).toBe(200)
    expect(await from(any, 'other example')).toBe(421)
  })
})

describe('prefix', () => {
  it('is put before every path, and `..` cannot escape it', async () => {
    const other = await startOther({ prefix: '/one/port' })
    const pathOf = async (path: string) =>
      told(await new Wire(other.port).send(`GET ${path} HTTP/1.1`, host, 'connection: close', '', '').until('closed'))
        .url
    expect(await pathOf('/rpc/v1?x=..')).toBe('/one/port/rpc/v1?x=..')
    expect(await pathOf('/')).toBe('/one/port/')
    expect(await pathOf('/one/port/rpc')).toBe('/one/port/rpc')
    for (const path of [
      '/../admin',
      '/x/../../admin',
      '/%2e%2e/admin',
      '/.%2E/admin',
      '/one/port/../admin',
      '//admin',
    ]) {
      expect(await pathOf(path)).toMatch(/^\/one\/port\/(one\/|\/?admin$)/)
    }
  })
})

describe('bounds', () => {
  it('on headers: 431 beyond their length, 408 when they are slow', async () => {
    const other = await startOther({ bounds: { headersWithinMs: 200, maxHeaderBytes: 2000 } })
    const long = await new Wire(other.port)
      .send('GET / HTTP/1.1', host, `x: ${'y'.repeat(3000)}`, '', '')
      .until('closed')
    expect(statusOf(long)).toBe(431)
    const slow = await new Wire(other.port).send('GET / HTTP/1.1', host, 'x: 1').until('closed')
    expect(statusOf(slow)).toBe(408)
  })

  it('on a whole request: 408 when its body does not come', async () => {
    const other = await startOther({ bounds: { headersWithinMs: 200, requestWithinMs: 300 } })
    const wire = new Wire(other.port).send('POST / HTTP/1.1', host, 'content-length: 5', '', 'ab')
    expect(statusOf(await wire.until('closed'))).toBe(408)
    expect(seen).toEqual([])
  })

  it('on connections: the one that is idle longest makes room, one that is answered does not', async () => {
    const other = await startOther({ bounds: { maxConnections: 3 } })
    const busy = new Wire(other.port).send('GET /mute HTTP/1.1', host, '', '')
    await asked(1)
    const idle = [new Wire(other.port), new Wire(other.port)]
    for (const wire of idle) await wire.send('GET / HTTP/1.1', host, '', '').until(/"url":"\/"/)
    const late = new Wire(other.port)
    await late.send('GET / HTTP/1.1', host, '', '').until(/"url":"\/"/)
    await idle[0]?.until('closed')
    expect([busy.isClosed, idle[1]?.isClosed, late.isClosed]).toEqual([false, false, false])
  })
})

describe('stop()', () => {
  it('finishes the answers that run, closes idle connections, and cuts the rest after the grace', async () => {
    const other = await startHttpFront({ upstream })
    const idle = new Wire(other.port)
    await idle.send('GET / HTTP/1.1', host, '', '').until(/"url":"\/"/)
    let answer: ServerResponse | undefined
    behaviours.set('/later', (_, response) => {
      answer = response
    })
    const running = new Wire(other.port).send('GET /later HTTP/1.1', host, '', '')
    await eventually('an answer', () => answer !== undefined, urls)
    const stream = new Wire(other.port).send('GET /events HTTP/1.1', host, '', '')
    await stream.until(/event-stream/)
    const stopped = other.stop(300)
    answer?.end('done')
    expect(await running.until('closed')).toContain('done')
    await stopped
    await Promise.all([idle.until('closed'), stream.until('closed')])
    await expect(
      new Promise((resolve, reject) => {
        request({ host: '127.0.0.1', port: other.port }, resolve).once('error', reject).end()
      }),
    ).rejects.toThrow('ECONNREFUSED')
  })
})
