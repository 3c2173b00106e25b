import { describe, expect, it } from 'vitest'
import { isTraceSampled, parseTraceparent } from '#edge/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

describe('parseTraceparent()', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`cc-${traceId}-${spanId}-01-what-the-future-will-be-like`, true],
    [`cc-${traceId}-${spanId}-00`, false],
  ])('reads %s', (header, isSampled) => {
    expect(parseTraceparent(header)).toEqual({ traceId, spanId, isSampled })
  })

  // The cases of the test suite of W3C Trace Context that a receiver has to ignore.
  it.each([
    [null],
    [''],
    [`00-${traceId}-${spanId}`],
    [`00-${traceId}-${spanId}-01-more`],
    [`00-${traceId}-${spanId}-01.`],
    [`cc-${traceId}-${spanId}-01.what-the-future`],
    [`ff-${traceId}-${spanId}-01`],
    [`00-${'0'.repeat(32)}-${spanId}-01`],
    [`00-${traceId}-${'0'.repeat(16)}-01`],
    [`00-${traceId.toUpperCase()}-${spanId}-01`],
    [`00-${traceId.slice(1)}-${spanId}-01`],
    [`00-${traceId}-${spanId}-1`],
    [`.0-${traceId}-${spanId}-01`],
  ])('ignores %s', (header) => {
    expect(parseTraceparent(header)).toBeUndefined()
  })
})

describe('isTraceSampled()', () => {
  it('records everything at 1 and nothing at 0', () => {
    for (const id of [traceId, 'f'.repeat(32), `${'0'.repeat(31)}1`]) {
      expect([isTraceSampled(id, 1), isTraceSampled(id, 0)]).toEqual([true, false])
    }
  })

  it('records the share that is asked for', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => (index * 4503599627370).toString(16).padStart(32, '0'))
    const share = ids.filter((id) => isTraceSampled(id, 0.25)).length
    expect(share).toBeGreaterThan(240)
    expect(share).toBeLessThan(260)
  })
})
