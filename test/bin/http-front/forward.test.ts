/** Requests that the HTTP front forwards, and answers on their way back. */

import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createUpstream } from '#bin/http-front/upstream.ts'
import { frontedServer, host, tell, told } from '../../support/fronted-server.ts'
import { eventually } from '../../support/wait.ts'

const { ask, asked, behaviours, connectTo, port, seen, serverPort, startOther, upstream } = frontedServer()

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
    const wire = connectTo()
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
    const wire = connectTo().send('POST /echo HTTP/1.1', host, 'transfer-encoding: chunked', '', '3', 'one', '')
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
    const answer = await fetch(`http://127.0.0.1:${port()}/count`, { method: 'POST', body })
    expect(await answer.text()).toBe(`3000000 ${sum}`)
  })

  it('sends the head of an event stream at once, and each event when it comes', async () => {
    let stream: ServerResponse | undefined
    behaviours.set('/events', (_, response) => {
      stream = response
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const wire = connectTo().send('GET /events HTTP/1.1', host, '', '')
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
    const mute = connectTo().send('POST /mute HTTP/1.1', host, 'content-length: 2', '', 'hi')
    await asked(1)
    mute.socket.destroy()
    const talk = connectTo().send('GET /talk HTTP/1.1', host, '', '')
    await talk.until(/\r\nx\r\n$/)
    talk.socket.destroy()
    await eventually('two ends', () => ended.length === 2, ended)
    const upload = connectTo().send('POST /count HTTP/1.1', host, 'content-length: 200000', '', 'part of it')
    await asked(3)
    const gone = new Promise((resolve) => seen[2]?.socket.once('close', resolve))
    upload.socket.destroy()
    await gone
    await eventually('no connection in use', () => upstream().inUse() === 0, upstream().inUse)
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
    const gone = connectTo().send('GET /gone HTTP/1.1', host, '', '')
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
      await fetch(`http://127.0.0.1:${port()}/before`)
      seen.length = 0
      return (await fetch(`http://127.0.0.1:${port()}/closing`, { method })).status
    }
    expect(await again('GET')).toBe(200)
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'GET'])
    expect(await again('POST')).toBe(502)
    expect(seen.map(({ method }) => method)).toEqual(['POST'])
  })

  it('sends no request over a used connection while the service is slow', async () => {
    behaviours.set('/slow', (asked, response) => setTimeout(() => tell(asked, response), 300))
    const hasty = createUpstream({ host: '127.0.0.1', port: serverPort() }, { reusableMs: 200 })
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
    const wire = connectTo().send('POST /early HTTP/1.1', host, 'content-length: 1000000', '', 'a')
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
    const wire = connectTo()
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
    const leaky = await connectTo()
      .send('GET /leaky HTTP/1.1', host, '', '')
      .until(/0\r\n\r\n$/)
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
    const narrow = createUpstream({ host: '127.0.0.1', port: serverPort() }, { maxConnections: 1 })
    behaviours.set('/mute', () => {})
    const other = await startOther({ upstream: narrow })
    const first = connectTo(other.port).send('GET /mute HTTP/1.1', host, '', '')
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
