/** gRPC-Web, Connect and the reverse bridge on a real socket: what a bad call gets, and within which bounds. */

import { connect } from 'node:http2'
import { beforeAll, describe, expect, it } from 'vitest'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import {
  createFrameDecoder,
  decodeFrames,
  decodeResponse,
  decodeTrailers,
  encodeFrame,
  encodeRequest,
  healthCheckPath,
  healthWatchPath,
  type Status,
  shouldRateLimitPath,
  statusOfTrailers,
} from '#proto-json/index.ts'
import { callUnary } from '../../support/grpc-web-client.ts'
import { hostServices } from '../../support/host-services.ts'
import { oneLimit, question } from '../../support/ratelimit-servers.ts'

const maxMessageBytes = 4_096

const { client } = hostServices([
  { REQUEST_MAX_BODY_BYTES: String(maxMessageBytes) },
  { HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: 'true' },
  { HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED: 'true' },
  { GRPC_WEB_BODY: 'whole', LIMIT_REQUEST_HEADERS_ENABLED: 'true', LIMIT_REQUEST_RESET_HEADER: 'x-reset' },
])

beforeAll(async () => {
  for (const place of [0, 3]) expect(await client(place).load([oneLimit('shop', 'day', 3)])).toBeNull()
})

const message = (value: string) =>
  encodeRequest({ domain: 'shop', descriptors: [{ entries: [{ key: 'k', value }] }], hitsAddend: 1 })

type Headers = Readonly<Record<string, string>>

const grpcWeb: Headers = { 'content-type': 'application/grpc-web+proto' }

function post(body: Uint8Array<ArrayBuffer> | string, headers: Headers, path = shouldRateLimitPath, place = 0) {
  return fetch(`${client(place).url}${path}`, { method: 'POST', body, headers })
}

/** The status of a gRPC-Web call, wherever the answer carries it. */
async function statusOf(
  body: Uint8Array<ArrayBuffer>,
  headers: Headers = {},
  path = shouldRateLimitPath,
): Promise<Status | null> {
  const response = await post(body, { ...grpcWeb, ...headers }, path)
  expect(response.status).toBe(200)
  const frames = decodeFrames(new Uint8Array(await response.arrayBuffer()), 1_000_000)
  const trailers = frames.findLast(({ flags }) => flags === 0x80)
  return trailers === undefined
    ? statusOfTrailers(response.headers)
    : statusOfTrailers(decodeTrailers(trailers.payload))
}

/** The payloads of a streamed answer as they come, those of its trailers last. */
async function* payloadsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<number[]> {
  const decoder = createFrameDecoder(1_000)
  for await (const chunk of chunks) for (const { payload } of decoder.push(chunk)) yield [...payload]
}

const healthRequest = encodeFrame(0, Uint8Array.from([0x0a, 9, ...new TextEncoder().encode('ratelimit')]))
const [serving, notServing] = [
  [0x08, 1],
  [0x08, 2],
]

describe('grpc.health.v1.Health/Watch', () => {
  it('sends the state at once and again when it has changed, over gRPC-Web', async () => {
    const response = await post(healthRequest, grpcWeb, healthWatchPath, 1)
    if (response.body === null) throw new Error('there is no body')
    const states = payloadsOf(response.body)
    expect((await states.next()).value).toEqual(notServing)
    expect(await client(1).load([oneLimit('shop', 'day', 3)])).toBeNull()
    expect((await states.next()).value).toEqual(serving)
    await states.return(undefined)
  })

  it('sends it to a native client through the front, which may leave at any time', async () => {
    const front = await startGrpcFront({ upstream: client(2).url, port: 0 })
    const session = connect(`http://127.0.0.1:${front.port}`)
    const call = session.request({
      ':method': 'POST',
      ':path': healthWatchPath,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    call.end(healthRequest)
    const states = payloadsOf(call)
    expect((await states.next()).value).toEqual(notServing)
    expect(await client(2).load([oneLimit('shop', 'day', 3)])).toBeNull()
    expect((await states.next()).value).toEqual(serving)
    call.close()
    session.close()
    await front.stop(0)
    expect((await fetch(`${client(2).url}/healthcheck`)).status).toBe(200)
  })
})

describe('gRPC-Web', () => {
  it('answers without a length, so that a network may put trailers behind the body', async () => {
    const { headers } = await post(encodeFrame(0, message('length')), grpcWeb)
    expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([null, 'chunked'])
  })

  it('answers the same octets in one piece with GRPC_WEB_BODY=whole, errors too', async () => {
    // A domain without rules: its answer has no seconds to the reset, which two requests may see differently.
    const unlimited = encodeRequest({
      domain: 'none',
      descriptors: [{ entries: [{ key: 'k', value: 'v' }] }],
      hitsAddend: 1,
    })
    for (const body of [unlimited, Uint8Array.from([0xff])]) {
      const [streamed, whole] = await Promise.all(
        [0, 3].map((place) => post(encodeFrame(0, body), grpcWeb, shouldRateLimitPath, place)),
      )
      const octets = new Uint8Array((await whole?.arrayBuffer()) ?? [])
      expect(whole?.headers.get('content-length')).toBe(String(octets.length))
      expect(new Uint8Array((await streamed?.arrayBuffer()) ?? [])).toEqual(octets)
    }
  })

  it.each([
    ['no frame', new Uint8Array(0), 3],
    ['half a header', encodeFrame(0, message('a')).slice(0, 3), 3],
    ['half a message', encodeFrame(0, message('a')).slice(0, 9), 3],
    ['garbage in a frame', encodeFrame(0, Uint8Array.from([0xff, 0xff, 0xff])), 3],
    ['a compressed message', encodeFrame(1, message('a')), 12],
    ['a message beyond the bound', encodeFrame(0, new Uint8Array(maxMessageBytes + 1)), 8],
    ['a frame that announces four gigabytes', Uint8Array.from([0, 0xff, 0xff, 0xff, 0xff]), 8],
  ])('answers %s with its status', async (_, body, code) => {
    expect((await statusOf(body))?.code).toBe(code)
  })

  it('answers a method that does not exist with UNIMPLEMENTED', async () => {
    const path = '/envoy.service.ratelimit.v3.RateLimitService/Other'
    expect((await statusOf(encodeFrame(0, message('a')), {}, path))?.code).toBe(12)
  })

  it('honours grpc-timeout: passed, malformed, and long enough', async () => {
    const frame = encodeFrame(0, message('timeout'))
    expect((await statusOf(frame, { 'grpc-timeout': '0m' }))?.code).toBe(4)
    expect((await statusOf(frame, { 'grpc-timeout': 'soon' }))?.code).toBe(3)
    expect((await statusOf(frame, { 'grpc-timeout': '10S' }))?.code).toBe(0)
  })

  it('counts nothing for calls that it refuses', async () => {
    const frame = encodeFrame(0, message('refused'))
    for (let turn = 0; turn < 5; turn++) await statusOf(frame.slice(0, 9))
    const { message: answer } = await callUnary(fetch, {
      baseUrl: client().url,
      path: shouldRateLimitPath,
      message: message('refused'),
    })
    expect(answer && decodeResponse(answer).statuses[0]?.limitRemaining).toBe(2)
  })

  it.each(['application/grpc-web', 'application/grpc-web+proto', 'application/grpc-web-text'])(
    'decides in %s',
    async (contentType) => {
      const { status, message: answer } = await callUnary(fetch, {
        baseUrl: client().url,
        path: shouldRateLimitPath,
        message: message(contentType),
        contentType,
      })
      expect(status.code).toBe(0)
      expect(answer && decodeResponse(answer).overallCode).toBe('OK')
    },
  )

  it('answers health, and a page of another origin', async () => {
    const { status } = await callUnary(fetch, {
      baseUrl: client().url,
      path: healthCheckPath,
      message: Uint8Array.from([0x0a, 9, ...new TextEncoder().encode('ratelimit')]),
    })
    expect(status.code).toBe(0)
    const preflight = await fetch(`${client().url}${shouldRateLimitPath}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.test', 'access-control-request-method': 'POST' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'POST'])
  })
})

describe('Connect', () => {
  it('decides in JSON and in protobuf at the same path', async () => {
    const json = await post(question('shop', ['k', 'connect']), { 'content-type': 'application/json' })
    expect([json.status, await json.json()]).toMatchObject([200, { overallCode: 'OK' }])
    const binary = await post(message('connect'), { 'content-type': 'application/proto' })
    expect(decodeResponse(new Uint8Array(await binary.arrayBuffer())).statuses[0]?.limitRemaining).toBe(1)
  })

  it('gives an error as JSON with the status of its code', async () => {
    const empty = await post('{}', { 'content-type': 'application/json' })
    expect([empty.status, await empty.json()]).toEqual([
      500,
      { code: 'unknown', message: 'rate limit domain must not be empty' },
    ])
    const late = await post(question('shop', ['k', 'v']), {
      'content-type': 'application/json',
      'connect-timeout-ms': '0',
    })
    expect([late.status, await late.json()]).toMatchObject([504, { code: 'deadline_exceeded' }])
    const broken = await post('{', { 'content-type': 'application/json' })
    expect([broken.status, await broken.json()]).toMatchObject([400, { code: 'invalid_argument' }])
  })
})

describe('LIMIT_REQUEST_HEADERS_ENABLED', () => {
  it('adds the headers for the upstream over every protocol', async () => {
    const url = client(3).url
    const front = await startGrpcFront({ upstream: url, port: 0 })
    const session = connect(`http://127.0.0.1:${front.port}`)
    const headers = { ':method': 'POST', ':path': shouldRateLimitPath, 'content-type': 'application/grpc' }
    const native = async () => {
      const call = session.request({ ...headers, te: 'trailers' })
      call.end(encodeFrame(0, message('upstream')))
      return decodeResponse(Uint8Array.from((await payloadsOf(call).next()).value ?? []))
    }
    const web = async () => {
      const options = { baseUrl: url, path: shouldRateLimitPath, message: message('upstream') }
      const { message: answer } = await callUnary(fetch, options)
      return decodeResponse(answer ?? new Uint8Array(0))
    }
    const body = question('shop', ['k', 'upstream'])
    const connectJson = async () =>
      (await post(body, { 'content-type': 'application/json' }, shouldRateLimitPath, 3)).json()
    const json = async () => (await client(3).decide(body)).json()
    for (const [at, ask] of [native, web, connectJson, json].entries()) {
      expect(await ask()).toMatchObject({
        requestHeadersToAdd: [
          { key: 'RateLimit-Limit', value: '3' },
          { key: 'RateLimit-Remaining', value: String(Math.max(0, 2 - at)) },
          { key: 'x-reset', value: expect.stringMatching(/^\d+$/) },
        ],
      })
    }
    session.close()
    await front.stop(0)
  })
})

describe('other calls of the path', () => {
  it.each([
    ['GET', {}, 405],
    ['POST', { 'content-type': 'text/plain' }, 415],
  ])('%s with %o is %i', async (method, headers, status) => {
    const init = method === 'GET' ? { method } : { method, headers, body: 'x' }
    expect((await fetch(`${client().url}${shouldRateLimitPath}`, init)).status).toBe(status)
  })
})
