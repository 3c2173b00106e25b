/** Times and severities of incidents. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describe as describeIncident, severityByStatus, toIsoTime, toSeconds } from '#grid/records/incident.ts'

describe('toIsoTime()', () => {
  it('writes microseconds and the offset of UTC', () => {
    expect(toIsoTime(1_764_000_000_000_001)).toBe('2025-11-24T16:00:00.000001+00:00')
  })

  it('sorts as the moments do', () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000_000_000 })
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        expect(toIsoTime(a) < toIsoTime(b)).toBe(a < b)
        expect(toSeconds(a) <= toSeconds(b)).toBe(a <= b || toSeconds(a) === toSeconds(b))
      }),
      { seed: 5 },
    )
  })
})

describe('severityByStatus', () => {
  it('is the map of the interface', () => {
    expect(severityByStatus).toEqual({ clean: 'INFO', attacked: 'HIGH', dropped: 'MEDIUM', invalid: 'LOW' })
    expect(describeIncident('DNP3', 'clean', 'NONE')).toBe('DNP3 clean packet')
    expect(describeIncident('DNP3', 'dropped', 'DROP')).toBe('DNP3 dropped packet (DROP)')
  })
})
