import { describe, expect, it } from 'vitest'
import { decodeResponse, encodeRequest } from '#proto-json/binary.ts'
import { healthCheckPath } from '#proto-json/services.ts'
import { ask } from './service.ts'

const json = 'application/json'

describe('connect', () => {
  it('answers bare JSON with bare JSON', async () => {
    const response = await ask('{"domain":"shop","hitsAddend":9}', { type: json })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, json])
    expect(await response.json()).toEqual({
      overallCode: 'OVER_LIMIT',
      statuses: [{ code: 'OVER_LIMIT', currentLimit: { requestsPerUnit: 5, unit: 'MINUTE' } }],
    })
  })

  it('answers bare protobuf with bare protobuf', async () => {
    const request = encodeRequest({ domain: 'shop', descriptors: [], hitsAddend: 1 })
    const response = await ask(request, { type: 'application/proto' })
    expect(decodeResponse(new Uint8Array(await response.arrayBuffer())).overallCode).toBe('OK')
  })

  it('writes errors as JSON with their HTTP status', async () => {
    const refused = await ask('{}', { type: json })
    expect([refused.status, await refused.json()]).toEqual([
      500,
      { code: 'unknown', message: 'rate limit domain must not be empty' },
    ])
    const malformed = await ask('{"domain":"a","domain":"b"}', { type: json })
    expect([malformed.status, (await malformed.json()).code]).toEqual([400, 'invalid_argument'])
    const unknown = await ask('{}', { type: json, path: '/x.Y/Z' })
    expect([unknown.status, (await unknown.json()).code]).toEqual([501, 'unimplemented'])
    const large = await ask('{"domain":"0123456789"}', { type: json, options: { maxMessageBytes: 10 } })
    expect([large.status, (await large.json()).code]).toEqual([429, 'resource_exhausted'])
    const late = await ask('{"domain":"slow"}', { type: json, headers: { 'connect-timeout-ms': '10' } })
    expect([late.status, (await late.json()).code]).toEqual([504, 'deadline_exceeded'])
  })

  it('checks health', async () => {
    const response = await ask('{}', { type: json, path: healthCheckPath })
    expect(await response.json()).toEqual({ status: 'SERVING' })
  })
})
