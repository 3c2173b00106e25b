/** Response fields of the IETF draft and Retry-After. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateLimitFields, retryAfterField } from '#ratelimit/answer/ietf-fields.ts'
import type { Code, DescriptorStatus } from '#ratelimit/types.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'

function statusOf(remaining: number, seconds: number, name?: string): DescriptorStatus {
  return {
    code: 'OK',
    currentLimit: { requestsPerUnit: 10, unit: 'MINUTE', ...(name !== undefined && { name }) },
    limitRemaining: remaining,
    secondsUntilReset: seconds,
  }
}

const unmatched: DescriptorStatus = { code: 'OK', limitRemaining: 0 }

describe('rateLimitFields()', () => {
  it('writes an item for every limited status, named or numbered by its place', () => {
    expect(rateLimitFields([statusOf(7, 26), unmatched, statusOf(0, 3), statusOf(1, 4, 'tenant')])).toEqual([
      { key: 'RateLimit-Policy', value: '"limit-1";q=10;w=60, "limit-3";q=10;w=60, "tenant";q=10;w=60' },
      { key: 'RateLimit', value: '"limit-1";r=7;t=26, "limit-3";r=0;t=3, "tenant";r=1;t=4' },
    ])
  })

  it('names the unit of hits that are held, which have no window', () => {
    const algorithm = { kind: 'concurrency', seconds: 60, charge: 'admitted' } as const
    const held = { ...statusOf(7, 26), currentLimit: { requestsPerUnit: 10, unit: 'MINUTE', algorithm } as const }
    expect(rateLimitFields([held])).toEqual([
      { key: 'RateLimit-Policy', value: '"limit-1";q=10;qu="concurrent-requests"' },
      { key: 'RateLimit', value: '"limit-1";r=7;t=26' },
    ])
  })

  it.each([[[]], [[unmatched]]])('of %j is empty', (statuses) => {
    expect(rateLimitFields(statuses)).toEqual([])
  })

  it.each(units)('has the length of a %s as the window, and as the rest where that is not known', (unit) => {
    const status: DescriptorStatus = { code: 'OK', currentLimit: { requestsPerUnit: 1, unit }, limitRemaining: 1 }
    expect(rateLimitFields([status]).map(({ value }) => value)).toEqual([
      `"limit-1";q=1;w=${unitSeconds[unit]}`,
      `"limit-1";r=1;t=${unitSeconds[unit]}`,
    ])
  })

  it.each([
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['grün', '"gr_n"'],
    ['~\x7f', '"~_"'],
    ['a\r\nX: y', '"a__X: y"'],
  ])('writes the name %j as %s', (name, written) => {
    expect(rateLimitFields([statusOf(1, 1, name)])[1]?.value).toBe(`${written};r=1;t=1`)
  })

  it('writes any name as one structured-field string', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (name) => {
        const [policy] = rateLimitFields([statusOf(1, 1, name)])
        expect(policy?.value).toMatch(/^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*";q=10;w=60$/)
      }),
      { seed: 2 },
    )
  })
})

describe('retryAfterField()', () => {
  const over = (seconds: number, code: Code = 'OVER_LIMIT'): DescriptorStatus => ({ ...statusOf(0, seconds), code })

  it('is the longest wait of what was refused', () => {
    expect(retryAfterField([over(3), over(26), over(9), over(90, 'OK')])).toEqual({ key: 'Retry-After', value: '26' })
  })

  it('is null where nothing was refused, or what was refused has no window', () => {
    expect(retryAfterField([])).toBeNull()
    expect(retryAfterField([over(9, 'OK')])).toBeNull()
    expect(retryAfterField([{ code: 'OVER_LIMIT', limitRemaining: 0 }])).toBeNull()
  })
})
