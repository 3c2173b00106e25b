import { describe, expect, it } from 'vitest'
import { showResponse } from '#proto-json/text.ts'

describe('showResponse()', () => {
  it('writes an answer on one line, without what is absent', () => {
    const unmatched = {
      overallCode: 'OK',
      statuses: [{ code: 'OK', limitRemaining: 0 }],
      responseHeadersToAdd: [],
    } as const
    expect(showResponse(unmatched)).toBe('overall_code:OK statuses:{code:OK}')
  })

  it('writes everything that an answer may hold, with strings that cannot break the line', () => {
    const text = showResponse({
      overallCode: 'OVER_LIMIT',
      statuses: [
        {
          code: 'OVER_LIMIT',
          currentLimit: { requestsPerUnit: 10, unit: 'MINUTE', name: 'a "b": {\n}' },
          limitRemaining: 3,
          secondsUntilReset: 58,
        },
        { code: 'OK', limitRemaining: 4294967295 },
      ],
      responseHeadersToAdd: [{ key: 'RateLimit-Limit', value: '10' }],
    })
    expect(text).toBe(
      'overall_code:OVER_LIMIT statuses:{code:OVER_LIMIT current_limit:{name:"a \\"b\\": {\\n}" requests_per_unit:10 unit:MINUTE} ' +
        'limit_remaining:3 duration_until_reset:{seconds:58}} statuses:{code:OK limit_remaining:4294967295} ' +
        'response_headers_to_add:{key:"RateLimit-Limit" value:"10"}',
    )
  })
})
