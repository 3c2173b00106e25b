/** Calls that the gRPC front forwards, over a client of gRPC and raw connections. */

import { constants } from 'node:http2'
import { connect as connectTcp, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Metadata } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { encodeFrame, encodeTrailersFrame, shouldRateLimitPath } from '#proto-json/index.ts'
import { asking, call, codeOf, echo, frontedUpstream, ok, rawHeaders } from '../../support/fronted-upstream.ts'
import { answering } from '../../support/grpc-web-upstream.ts'
import { listen } from '../../support/listen.ts'
import { once } from '../../support/wait.ts'

const { endService, front, open, openRaw, restartFront, upstream } = frontedUpstream()

describe('forward()', () => {
  it('forwards a call as gRPC-Web and answers with its message and status', async () => {
    expect(await call(open())).toMatchObject({ code: 0, answer: 'an answer' })
    const [request] = upstream().requests
    expect(request).toMatchObject({
      // Written out: clients of any release ask at this path.
      path: '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit',
      headers: { 'content-type': 'application/grpc-web+proto', 'x-grpc-web': '1' },
    })
    expect(request?.body.equals(encodeFrame(0, asking))).toBe(true)
  })

  it('passes metadata on in both directions, and no header of the connection', async () => {
    upstream().answerWith((response) => {
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
    expect(upstream().requests[0]?.headers).toMatchObject({ 'x-caller': 'envoy', 'x-trace-bin': 'AQID' })
    expect(upstream().requests[0]?.headers.te).toBeUndefined()
  })

  it('passes an error on with its message, as it was written', async () => {
    upstream().answerWith(answering({ code: 2, message: 'rate limit domain must not be empty: "é" 100%' }))
    expect(await call(open())).toMatchObject({ code: 2, details: 'rate limit domain must not be empty: "é" 100%' })
  })

  it('passes every code on', async () => {
    const client = open()
    for (const code of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as const) {
      upstream().answerWith(answering({ code, message: 'x' }))
      expect(await codeOf(call(client))).toBe(code)
    }
  })

  it('reads an answer however it is cut into chunks', async () => {
    upstream().answerWith(async (response) => {
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
    upstream().answerWith((response) => {
      response.writeHead(200, { 'content-type': 'application/grpc-web+proto' })
      response.write(encodeFrame(0, Buffer.from('first')))
      finish = () => response.end(Buffer.concat([encodeFrame(0, Buffer.from('second')), encodeTrailersFrame(ok)]))
    })
    const same = (bytes: Buffer) => bytes
    const stream = open().makeServerStreamRequest(shouldRateLimitPath, same, same, asking)
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
    upstream().answerWith(answering(ok, large))
    const { code, answer } = await call(open(), { message: large })
    expect([code, answer?.length, upstream().requests[0]?.body.length]).toEqual([0, large.length, large.length + 5])
  })

  it('keeps its connection to the service', async () => {
    const client = open()
    for (let round = 0; round < 20; round++) expect(await codeOf(call(client))).toBe(0)
    expect(upstream().connections()).toBe(1)
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
    const timeout = String(upstream().requests[0]?.headers['grpc-timeout'])
    expect(timeout).toMatch(/^\d+m$/)
    expect(Number.parseInt(timeout, 10)).toBeLessThanOrEqual(5000)
    expect(Number.parseInt(timeout, 10)).toBeGreaterThan(3000)
  })

  it('answers DEADLINE_EXCEEDED and cancels its request when the service is slower', async () => {
    upstream().answerWith(() => {})
    const stream = openRaw().request({ ...rawHeaders, 'grpc-timeout': '80m' })
    stream.end(encodeFrame(0, asking))
    const [headers] = await once(stream, 'response')
    expect(headers['grpc-status']).toBe('4')
    await upstream().requests[0]?.whenLeft
  })

  it('answers INVALID_ARGUMENT to a deadline that is none', async () => {
    const stream = openRaw().request({ ...rawHeaders, 'grpc-timeout': 'soon' })
    const [headers] = await once(stream, 'response')
    expect([headers[':status'], headers['grpc-status']]).toEqual([200, '3'])
  })

  it('answers UNAVAILABLE when the service is silent and the caller set no deadline', async () => {
    await restartFront({ bounds: { answerWithinMs: 60 } })
    upstream().answerWith(() => {})
    expect(await call(open())).toMatchObject({ code: 14, details: 'Cannot reach service: it was silent for 60 ms' })
  })
})

describe('forward(), cancellation', () => {
  it('cancels its request when the client cancels', async () => {
    upstream().answerWith(() => {})
    const outcome = call(open(), { begin: (running) => setTimeout(() => running.cancel(), 50) })
    expect(await codeOf(outcome)).toBe(1)
    await upstream().requests[0]?.whenLeft
  })

  it('survives clients that vanish: in the request, while waiting, in the answer, on every kind of reset', async () => {
    upstream().answerWith(async (response) => {
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
    upstream().answerWith(echo)
    expect(await codeOf(call(open()))).toBe(0)
  })
})

describe('forward(), a service that fails', () => {
  it('answers UNAVAILABLE when no service listens', async () => {
    await endService()
    expect(await call(open())).toMatchObject({ code: 14, details: 'Cannot reach service: ECONNREFUSED' })
  })

  it('answers UNAVAILABLE when the service drops the connection, and asks it only once', async () => {
    upstream().answerWith((response) => void response.socket?.destroy())
    expect(await codeOf(call(open()))).toBe(14)
    expect(upstream().requests.length).toBe(1)
  })

  it('answers UNAVAILABLE when the connection is lost in the middle of an answer', async () => {
    upstream().answerWith((response) => {
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
      upstream().answerWith((response) => void response.writeHead(httpStatus, headers).end(body))
      expect(await codeOf(call(open()))).toBe(code)
    })
  }

  it('answers RESOURCE_EXHAUSTED to a message above the bound, in either direction', async () => {
    await restartFront({ bounds: { maxMessageBytes: 1000 } })
    expect(await codeOf(call(open(), { message: Buffer.alloc(1000) }))).toBe(0)
    expect(await codeOf(call(open(), { message: Buffer.alloc(1001) }))).toBe(8)
    expect(await codeOf(call(open(), { message: Buffer.alloc(3_000_000) }))).toBe(8)
    upstream().answerWith(answering(ok, Buffer.alloc(1001)))
    expect(await codeOf(call(open()))).toBe(8)
  })
})

describe('forward(), HTTP', () => {
  it('answers 405 to another method and 415 to another content type', async () => {
    const session = openRaw()
    const get = session.request({ ':method': 'GET', ':path': '/' })
    expect((await once(get, 'response'))[0][':status']).toBe(405)
    const json = session.request({
      ':method': 'POST',
      ':path': shouldRateLimitPath,
      'content-type': 'application/json',
    })
    expect((await once(json, 'response'))[0][':status']).toBe(415)
  })

  it('answers UNIMPLEMENTED to a gRPC content type that it does not know', async () => {
    const stream = openRaw().request({ ...rawHeaders, 'content-type': 'application/grpc+thrift' })
    expect((await once(stream, 'response'))[0]['grpc-status']).toBe('12')
  })

  it('survives a client that does not speak HTTP/2', async () => {
    const socket = connectTcp(front().port, '127.0.0.1')
    socket.on('error', () => {})
    socket.resume()
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    await once(socket, 'close')
    expect(await codeOf(call(open()))).toBe(0)
  })
})
