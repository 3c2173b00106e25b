import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { decodeResponse, encodeRequest } from '#proto-json/binary.ts'
import { decodeBase64Text } from '#proto-json/grpc-web/base64-text.ts'
import { decodeFrames, encodeFrame } from '#proto-json/grpc-web/frame.ts'
import { serve } from '#proto-json/grpc-web/serve.ts'
import { decodeTrailers, statusOfTrailers } from '#proto-json/grpc-web/trailer.ts'
import { readResponse, writeRequest } from '#proto-json/json.ts'
import { healthCheckPath, healthMethods, healthWatchPath } from '#proto-json/services.ts'
import { sweep } from '../../support/sweep.ts'
import { ask, framed } from '../service.ts'

const request = { domain: 'shop', descriptors: [{ entries: [{ key: 'k', value: 'v' }] }], hitsAddend: 2 }
const bytes = encodeRequest(request)

/** Reads a gRPC-Web answer: messages and status. */
const read = async (response: Response, isText = false) => {
  const raw = new Uint8Array(await response.arrayBuffer())
  const frames = decodeFrames(isText ? decodeBase64Text(new TextDecoder().decode(raw)) : raw, 1_000_000)
  const trailers = frames.findLast(({ flags }) => flags === 0x80)
  return {
    messages: frames.filter(({ flags }) => flags === 0).map(({ payload }) => payload),
    status: statusOfTrailers(decodeTrailers(trailers?.payload ?? new Uint8Array(0))),
  }
}

const statusOf = async (response: Promise<Response>) => (await read(await response)).status

describe('serve(), gRPC-Web', () => {
  for (const type of ['application/grpc-web', 'application/grpc-web+proto']) {
    it(`answers ${type} in kind, streamed and without a content length`, async () => {
      const response = await ask(framed(bytes), { type })
      expect([response.status, response.headers.get('content-type'), response.headers.get('content-length')]).toEqual([
        200,
        type,
        null,
      ])
      const { messages, status } = await read(response)
      expect(status).toEqual({ code: 0, message: '' })
      expect(messages.map((message) => decodeResponse(message).statuses[0]?.limitRemaining)).toEqual([3])
    })
  }

  it('answers JSON in JSON', async () => {
    const response = await ask(framed(new TextEncoder().encode(writeRequest(request))), {
      type: 'application/grpc-web+json',
    })
    expect(response.headers.get('content-type')).toBe('application/grpc-web+json')
    const { messages } = await read(response)
    expect(messages.map((message) => readResponse(new TextDecoder().decode(message)).overallCode)).toEqual(['OK'])
  })

  it('answers text in text, also when padding occurs in the middle of the request', async () => {
    const frame = framed(bytes)
    const body = encodeBase64(frame.subarray(0, 4)) + encodeBase64(frame.subarray(4))
    const response = await ask(body, { type: 'application/grpc-web-text' })
    expect(response.headers.get('content-type')).toBe('application/grpc-web-text')
    expect((await read(response, true)).status?.code).toBe(0)
  })

  it('answers a binary request in text when it accepts text', async () => {
    const response = await ask(framed(bytes), { headers: { accept: 'application/grpc-web-text' } })
    expect(response.headers.get('content-type')).toBe('application/grpc-web-text')
    expect((await read(response, true)).messages.length).toBe(1)
  })

  it('is OK when over the limit: the decision travels in the message', async () => {
    const { messages, status } = await read(await ask(framed(encodeRequest({ ...request, hitsAddend: 6 }))))
    expect(status?.code).toBe(0)
    expect(messages.map((message) => decodeResponse(message).overallCode)).toEqual(['OVER_LIMIT'])
  })

  it('writes the status that the domain gives to its error', async () => {
    expect(await statusOf(ask(framed(encodeRequest({ ...request, domain: '' }))))).toEqual({
      code: 2,
      message: 'rate limit domain must not be empty',
    })
  })

  it('hides the cause of an error that the domain does not know', async () => {
    expect(await statusOf(ask(framed(encodeRequest({ ...request, domain: 'broken' }))))).toEqual({
      code: 2,
      message: 'internal error',
    })
  })

  it('refuses a compressed message with UNIMPLEMENTED', async () => {
    const status = await statusOf(ask(encodeFrame(1, bytes)))
    expect(status).toEqual({ code: 12, message: 'Cannot read request: its message is compressed, expected identity' })
  })

  it('refuses no message, two messages, other flags, half a frame and garbage with INVALID_ARGUMENT', async () => {
    const two = new Uint8Array([...framed(bytes), ...framed(bytes)])
    const bodies = [
      new Uint8Array(0),
      two,
      encodeFrame(0x80, bytes),
      framed(bytes).slice(0, 7),
      framed(new Uint8Array([0xff, 0xff])),
    ]
    const codes = await Promise.all(bodies.map(async (body) => (await statusOf(ask(body)))?.code))
    expect(codes).toEqual([3, 3, 3, 3, 3])
  })

  it('refuses a health request that is not a message with INVALID_ARGUMENT, and skips a mistyped field', async () => {
    for (const garbage of [[0xff, 0xff], [0x0a, 9], [0x0a, 1, 0xff], [0x0c], [0x01, 1]]) {
      const status = await statusOf(ask(framed(Uint8Array.from(garbage)), { path: healthCheckPath }))
      expect([status?.code, status?.message]).toEqual([3, expect.stringMatching(/^Cannot decode health request: /)])
    }
    expect((await statusOf(ask(framed(Uint8Array.of(0x08, 1)), { path: healthCheckPath })))?.code).toBe(0)
  })

  it('refuses a message above the bound with RESOURCE_EXHAUSTED, announced or sent', async () => {
    const options = { maxMessageBytes: 10 }
    expect((await statusOf(ask(framed(new Uint8Array(11)), { options })))?.code).toBe(8)
    expect((await statusOf(ask(new Uint8Array(5000), { options })))?.code).toBe(8)
    const unannounced = new Uint8Array([0, 0xff, 0xff, 0xff, 0xff])
    expect((await statusOf(ask(unannounced, { options })))?.code).toBe(8)
  })

  it('refuses an unknown path with UNIMPLEMENTED', async () => {
    for (const path of ['/', '/envoy.service.ratelimit.v2.RateLimitService/ShouldRateLimit', '/constructor']) {
      expect((await statusOf(ask(framed(bytes), { path })))?.code).toBe(12)
    }
  })

  it('answers DEADLINE_EXCEEDED when the deadline passes, at once when it is zero', async () => {
    const slow = framed(encodeRequest({ ...request, domain: 'slow' }))
    expect((await statusOf(ask(slow, { headers: { 'grpc-timeout': '20m' } })))?.code).toBe(4)
    expect((await statusOf(ask(slow, { headers: { 'grpc-timeout': '0m' } })))?.code).toBe(4)
    expect((await statusOf(ask(framed(bytes), { headers: { 'grpc-timeout': '99999999H' } })))?.code).toBe(0)
    expect((await statusOf(ask(framed(bytes), { headers: { 'grpc-timeout': 'soon' } })))?.code).toBe(3)
  })

  it('never throws on garbage', async () => {
    const type = fc.constantFrom(
      'application/grpc-web',
      'application/grpc-web+json',
      'application/grpc-web-text',
      'application/json',
      'application/proto',
      'application/x-protobuf',
    )
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), type, async (body, contentType) => {
        const response = await ask(new Uint8Array(body), { type: contentType, options: { maxMessageBytes: 30 } })
        await response.arrayBuffer()
        expect([200, 400, 404, 429, 500, 501]).toContain(response.status)
      }),
      { seed: 13, numRuns: sweep(1000) },
    )
  })
})

describe('serve(), HTTP', () => {
  it('answers a preflight request', async () => {
    const response = await ask(null, { method: 'OPTIONS', headers: { origin: 'https://page.test' } })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toBe('POST')
    for (const name of ['content-type', 'x-grpc-web', 'x-user-agent', 'grpc-timeout', 'connect-protocol-version']) {
      expect(response.headers.get('access-control-allow-headers')?.split(', ')).toContain(name)
    }
  })

  it('exposes the status to pages of other origins', async () => {
    const { headers } = await ask(framed(bytes), { headers: { origin: 'https://page.test' } })
    expect([headers.get('access-control-allow-origin'), headers.get('access-control-expose-headers')]).toEqual([
      '*',
      'grpc-status, grpc-message, grpc-status-details-bin',
    ])
    expect((await ask(framed(bytes))).headers.has('access-control-expose-headers')).toBe(false)
  })

  it('answers another method with 405 and another content type with 415', async () => {
    expect((await ask(null, { method: 'GET' })).status).toBe(405)
    expect((await ask('x', { type: 'text/plain' })).status).toBe(415)
    expect((await ask(new Uint8Array(1), { type: '' })).status).toBe(415)
  })
})

describe('serve(), health', () => {
  const health = (service: string) =>
    framed(new Uint8Array([0x0a, service.length, ...new TextEncoder().encode(service)]))

  it('checks a service', async () => {
    const { messages, status } = await read(await ask(health('ratelimit'), { path: healthCheckPath }))
    expect([status?.code, messages.map((message) => [...message])]).toEqual([0, [[0x08, 1]]])
  })

  it('answers NOT_FOUND for a service that is unknown', async () => {
    expect(await statusOf(ask(health('other'), { path: healthCheckPath }))).toEqual({
      code: 5,
      message: 'unknown service',
    })
  })

  it('watches a service over gRPC-Web, and not over Connect', async () => {
    const { messages, status } = await read(await ask(health('ratelimit'), { path: healthWatchPath }))
    expect([status?.code, messages.map((message) => [...message])]).toEqual([
      0,
      [
        [0x08, 2],
        [0x08, 1],
      ],
    ])
    const unary = await ask('{"service":"ratelimit"}', { path: healthWatchPath, type: 'application/json' })
    expect(unary.status).toBe(501)
  })

  it('watches an unknown service as SERVICE_UNKNOWN', async () => {
    const { messages } = await read(await ask(health('other'), { path: healthWatchPath }))
    expect([...(messages[0] ?? [])]).toEqual([0x08, 3])
  })

  it('stops watching when the reader leaves', async () => {
    const response = await ask(health('ratelimit'), { path: healthWatchPath })
    await expect(response.body?.cancel()).resolves.toBeUndefined()
  })

  it('aborts the method when the reader or the client has left', async () => {
    const signals: AbortSignal[] = []
    const watched = healthMethods({
      check: async () => null,
      async *watch(_, signal) {
        signals.push(signal)
        yield 'SERVING'
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
    })
    const connection = new AbortController()
    const call = () =>
      serve(
        new Request(`http://sluice.test${healthWatchPath}`, {
          method: 'POST',
          body: health('ratelimit'),
          headers: { 'content-type': 'application/grpc-web+proto' },
          signal: connection.signal,
        }),
        watched,
      )
    const left = (await call()).body?.getReader()
    const lost = (await call()).body?.getReader()
    expect([(await left?.read())?.done, (await lost?.read())?.done]).toEqual([false, false])
    await left?.cancel()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    connection.abort()
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
  })
})
