import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeResponse, encodeRequest } from '#proto-json/binary.ts'
import { decodeFrames, encodeFrame } from '#proto-json/grpc-web/frame.ts'
import { isFramed } from '#proto-json/reverse-bridge.ts'
import { anyRequest } from './messages.ts'
import { ask, framed, Refusal } from './service.ts'

const type = 'application/x-protobuf'
const request = encodeRequest({ domain: 'shop', descriptors: [], hitsAddend: 1 })
const refused = encodeRequest({ domain: '', descriptors: [], hitsAddend: 1 })
const bodyOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe('reverseBridge', () => {
  it('answers a bare message with a bare message', async () => {
    const response = await ask(request, { type })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(decodeResponse(await bodyOf(response)).overallCode).toBe('OK')
  })

  it('answers a framed message with a framed message and no trailers', async () => {
    const frames = decodeFrames(await bodyOf(await ask(framed(request), { type })), 1000)
    expect(frames.map(({ flags, payload }) => [flags, decodeResponse(payload).overallCode])).toEqual([[0, 'OK']])
  })

  it('repeats the content type letter by letter, since the filter compares it so', async () => {
    for (const spelled of [
      'application/x-protobuf;proto=x',
      'Application/X-Protobuf',
      'application/grpc',
      'application/grpc+proto',
    ]) {
      expect((await ask(framed(request), { type: spelled })).headers.get('content-type')).toBe(spelled)
    }
  })

  it('reads an empty body as an empty message', async () => {
    expect((await ask(new Uint8Array(0), { type })).headers.get('x-grpc-message')).toBe(
      'rate limit domain must not be empty',
    )
  })

  it('answers an error with the HTTP status that the filter maps, the same content type and, framed, a body', async () => {
    const bare = await ask(refused, { type })
    expect([bare.status, bare.headers.get('content-type'), (await bodyOf(bare)).length]).toEqual([500, type, 0])
    const withFrame = await ask(framed(refused), { type })
    expect([withFrame.status, [...(await bodyOf(withFrame))]]).toEqual([500, [0, 0, 0, 0, 0]])
    expect((await ask(request, { type, path: '/x.Y/Z' })).status).toBe(404)
    expect((await ask(new Uint8Array([0xff]), { type })).status).toBe(400)
    expect((await ask(encodeFrame(1, request), { type })).status).toBe(404)
  })
})

describe('reverseBridge, before the body is read', () => {
  it.each([
    ['application/grpc', 5],
    ['Application/gRPC+proto', 5],
    [type, 0],
  ])('answers an error in %s with a frame where the filter has one', async (spelled, length) => {
    const admit = () => {
      throw new Refusal('no token')
    }
    const response = await ask(framed(request), { type: spelled, options: { admit } })
    expect([response.status, (await bodyOf(response)).length]).toEqual([500, length])
  })
})

describe('isFramed()', () => {
  it('never takes a bare message for a frame', () => {
    fc.assert(
      fc.property(anyRequest, (message) => {
        expect([isFramed(encodeRequest(message)), isFramed(framed(encodeRequest(message)))]).toEqual([false, true])
      }),
      { seed: 14 },
    )
  })
})
