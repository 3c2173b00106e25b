/** Requests that the HTTP front refuses, without a question to the service. */

import { describe, expect, it } from 'vitest'
import type { HttpFront } from '#bin/http-front/front.ts'
import { frontedServer, host, statusOf } from '../../support/fronted-server.ts'
import { eventually } from '../../support/wait.ts'

const { ask, asked, behaviours, connectTo, seen, startOther, urls } = frontedServer()

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
    const wire = connectTo().send(...lines)
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
        await connectTo(port).send('GET / HTTP/1.1', `host: ${name}`, 'connection: close', '', '').until('closed'),
      )
    expect(await from(named, 'sluice.example:80')).toBe(200)
    expect(await from(named, 'other.example')).toBe(421)
    expect(await from(any, 'other.example')).toBe(200)
    expect(await from(any, 'other example')).toBe(421)
  })
})
