import { describe, expect, it } from 'vitest'
import { decodeResponse, encodeRequest } from '#proto-json/binary.ts'
import { encodeFrame } from '#proto-json/grpc-web/frame.ts'
import { serve } from '#proto-json/grpc-web/serve.ts'
import { statusTable } from '#proto-json/grpc-web/status.ts'
import { encodeTrailersFrame } from '#proto-json/grpc-web/trailer.ts'
import { shouldRateLimitPath } from '#proto-json/services.ts'
import { callUnary, readConnectError } from '../support/grpc-web-client.ts'
import { methods, statusOf } from './service.ts'

const call = {
  baseUrl: 'http://sluice.test',
  path: shouldRateLimitPath,
  message: encodeRequest({ domain: 'shop', descriptors: [], hitsAddend: 1 }),
}

const toService: typeof fetch = (input, init) => serve(new Request(input, init), methods, { statusOf })
const toAnswer =
  (body: Uint8Array<ArrayBuffer> | string, init: ResponseInit): typeof fetch =>
  async () =>
    new Response(body, init)
const web = { headers: { 'content-type': 'application/grpc-web+proto' } }
const join = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts))

describe('callUnary()', () => {
  for (const contentType of ['application/grpc-web', 'application/grpc-web+proto', 'application/grpc-web-text']) {
    it(`calls serve() in ${contentType}`, async () => {
      const { status, message } = await callUnary(toService, { ...call, contentType, timeoutMs: 5000 })
      expect(status.code).toBe(0)
      expect(decodeResponse(message ?? new Uint8Array(0)).overallCode).toBe('OK')
    })
  }

  it('returns the status of an error', async () => {
    const message = encodeRequest({ domain: '', descriptors: [], hitsAddend: 0 })
    expect(await callUnary(toService, { ...call, message })).toEqual({
      message: null,
      status: { code: 2, message: 'rate limit domain must not be empty' },
    })
  })

  it('reads a status from the headers', async () => {
    const headers = { 'content-type': 'application/grpc-web', 'grpc-status': '7', 'grpc-message': 'no%21' }
    expect((await callUnary(toAnswer('', { headers }), call)).status).toEqual({ code: 7, message: 'no!' })
  })

  it('is UNAVAILABLE when the network fails', async () => {
    const fails: typeof fetch = async () => {
      throw new TypeError('connection refused')
    }
    expect((await callUnary(fails, call)).status.code).toBe(14)
  })

  it('is DEADLINE_EXCEEDED when no answer comes in time', async () => {
    const hangs: typeof fetch = (_, init) =>
      new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
    expect((await callUnary(hangs, { ...call, timeoutMs: 10 })).status.code).toBe(4)
  })

  it('maps the HTTP status of a server that does not speak gRPC-Web', async () => {
    const statuses = [400, 401, 403, 404, 418, 429, 502, 503, 504, 200]
    const codes = await Promise.all(
      statuses.map(async (status) => (await callUnary(toAnswer('<html>', { status }), call)).status.code),
    )
    expect(codes).toEqual([13, 16, 7, 12, 2, 14, 14, 14, 14, 2])
    const connect = toAnswer('{"code":"not_found","message":"m"}', { status: 404 })
    expect((await callUnary(connect, call)).status).toEqual({ code: 5, message: 'm' })
  })

  it('is INTERNAL when the answer makes no sense', async () => {
    const message = encodeFrame(0, new Uint8Array(3))
    const ok = encodeTrailersFrame({ code: 0, message: '' })
    const answers = [
      message,
      ok,
      join(message, message, ok),
      join(encodeFrame(1, new Uint8Array(3)), ok),
      join(message, ok.subarray(0, 8)),
    ]
    const codes = await Promise.all(
      answers.map(async (body) => (await callUnary(toAnswer(join(body), web), call)).status.code),
    )
    expect(codes).toEqual([13, 13, 13, 13, 13])
  })

  it('is RESOURCE_EXHAUSTED when the answer is above the bound', async () => {
    const answer = toAnswer(encodeFrame(0, new Uint8Array(100)), web)
    expect((await callUnary(answer, { ...call, maxMessageBytes: 10 })).status.code).toBe(8)
  })
})

describe('readConnectError()', () => {
  it('reads every code and refuses an unknown one', () => {
    for (const [code, { connect }] of Object.entries(statusTable)) {
      expect(readConnectError(JSON.stringify({ code: connect, message: 'm' }))).toEqual({
        code: Number(code),
        message: 'm',
      })
    }
    for (const text of ['', '[]', 'null', '{"code":"nope"}', '{"code":1}', '<html>'])
      expect(readConnectError(text)).toBeNull()
  })
})
