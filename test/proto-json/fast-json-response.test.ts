import { toJson } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writePlainResponse } from '#proto-json/fast-json-response.ts'
import { RateLimitResponseSchema } from '#proto-json/gen/ratelimit_pb.ts'
import { toResponseMessage } from '#proto-json/ratelimit-v3.ts'
import { sweep } from '../support/sweep.ts'
import { anyResponse } from './messages.ts'

describe('writePlainResponse()', () => {
  it('writes letter by letter what the library writes', () => {
    fc.assert(
      fc.property(anyResponse, (response) => {
        const longWay = JSON.stringify(toJson(RateLimitResponseSchema, toResponseMessage(response)))
        expect(writePlainResponse(response)).toBe(longWay)
      }),
      { seed: 5, numRuns: sweep(2000) },
    )
  })

  it('leaves defaults out as the library does', () => {
    expect(
      writePlainResponse({
        overallCode: 'OK',
        statuses: [{ code: 'OK', currentLimit: { requestsPerUnit: 0, unit: 'DAY' }, limitRemaining: 0 }],
        responseHeadersToAdd: [{ key: '', value: '' }],
      }),
    ).toBe('{"overallCode":"OK","statuses":[{"code":"OK","currentLimit":{"unit":"DAY"}}],"responseHeadersToAdd":[{}]}')
  })
})
