/** The HTTP front: forms of requests that the runtime does not understand, its prefix, its bounds and its end. */

import { request, type ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { frontedServer, host, statusOf, told } from '../../support/fronted-server.ts'
import { eventually } from '../../support/wait.ts'

const { ask, asked, behaviours, connectTo, seen, startOther, urls } = frontedServer()

describe('what the runtime does not understand', () => {
  it('is HTTP/1.0, with a Host header and without, kept alive when it asks for that', async () => {
    expect(statusOf(await ask('GET /old HTTP/1.0', '', ''))).toBe(200)
    const named = await ask('GET /old HTTP/1.0', 'host: localhost:1', '', '')
    expect(told(named).headers.get('host')).toBe('localhost:1')
    expect(named).not.toMatch(/transfer-encoding/i)
    const kept = connectTo().send('GET /a HTTP/1.0', host, 'connection: keep-alive', '', '')
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
    const wire = connectTo().send(
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

describe('prefix', () => {
  it('is put before every path, and `..` cannot escape it', async () => {
    const other = await startOther({ prefix: '/one/port' })
    const pathOf = async (path: string) =>
      told(await connectTo(other.port).send(`GET ${path} HTTP/1.1`, host, 'connection: close', '', '').until('closed'))
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
    const long = await connectTo(other.port)
      .send('GET / HTTP/1.1', host, `x: ${'y'.repeat(3000)}`, '', '')
      .until('closed')
    expect(statusOf(long)).toBe(431)
    const slow = await connectTo(other.port).send('GET / HTTP/1.1', host, 'x: 1').until('closed')
    expect(statusOf(slow)).toBe(408)
  })

  it('on a whole request: 408 when its body does not come', async () => {
    const other = await startOther({ bounds: { headersWithinMs: 200, requestWithinMs: 300 } })
    const wire = connectTo(other.port).send('POST / HTTP/1.1', host, 'content-length: 5', '', 'ab')
    expect(statusOf(await wire.until('closed'))).toBe(408)
    expect(seen).toEqual([])
  })

  it('on connections: the one that is idle longest makes room, one that is answered does not', async () => {
    behaviours.set('/mute', () => {})
    const other = await startOther({ bounds: { maxConnections: 3 } })
    const busy = connectTo(other.port).send('GET /mute HTTP/1.1', host, '', '')
    await asked(1)
    const idle = [connectTo(other.port), connectTo(other.port)]
    for (const wire of idle) await wire.send('GET / HTTP/1.1', host, '', '').until(/"url":"\/"/)
    const late = connectTo(other.port)
    await late.send('GET / HTTP/1.1', host, '', '').until(/"url":"\/"/)
    await idle[0]?.until('closed')
    expect([busy.isClosed, idle[1]?.isClosed, late.isClosed]).toEqual([false, false, false])
  })
})

describe('stop()', () => {
  it('finishes the answers that run, closes idle connections, and cuts the rest after the grace', async () => {
    const other = await startOther({})
    behaviours.set('/events', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    })
    const idle = connectTo(other.port)
    await idle.send('GET / HTTP/1.1', host, '', '').until(/"url":"\/"/)
    let answer: ServerResponse | undefined
    behaviours.set('/later', (_, response) => {
      answer = response
    })
    const running = connectTo(other.port).send('GET /later HTTP/1.1', host, '', '')
    await eventually('an answer', () => answer !== undefined, urls)
    const stream = connectTo(other.port).send('GET /events HTTP/1.1', host, '', '')
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
