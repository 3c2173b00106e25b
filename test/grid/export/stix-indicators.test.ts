/** Indicators: the pattern of a group's traffic by source or destination, its port where all share it, its sighting. */

import { describe, expect, it } from 'vitest'
import { type Observed, toIndicator } from '#grid/export/stix-indicators.ts'
import { identityId } from '#grid/export/stix-objects.ts'
import { toObservables } from '#grid/export/stix-observables.ts'
import type { Incident } from '#grid/types.ts'
import { incidentAt } from '../../support/grid-incidents.ts'

const session = { id: 's-1', startedUs: 1_795_190_400_000_000 }
const span = { from: '2026-11-20T16:00:00.000Z', to: '2026-11-20T17:00:00.000Z' }

/** One observation of an attack on Modbus, so many seconds into the session. */
function observed(second: number, change: Partial<Incident> = {}): Observed {
  const incident = incidentAt(second, {
    protocol: 'Modbus',
    attack_type: 'MODBUS_CMD_INJECT',
    status: 'attacked',
    dst_port: 502,
    ...change,
  })
  const { objects, traffic } = toObservables(incident, undefined)
  const data = { type: 'observed-data', id: `observed-data--${second}`, created: span.from, modified: span.from }
  return { incident, objects, data, traffic }
}

const patternOf = (...group: readonly Observed[]) => toIndicator('key', group, session, span)[0]?.pattern

describe('toIndicator()', () => {
  it('matches the sources of a group, each once, and the port that all were sent to', () => {
    expect(patternOf(observed(1), observed(2, { src_ip: '10.20.9.9' }), observed(3))).toBe(
      "[network-traffic:protocols[*] = 'modbus' AND network-traffic:dst_port = 502 AND network-traffic:src_ref.value IN ('10.20.3.2', '10.20.9.9')]",
    )
  })

  it('names no port where there are several', () => {
    expect(patternOf(observed(1), observed(2, { dst_port: 503 }))).not.toContain('dst_port')
  })

  it('matches destinations where the source is not an address', () => {
    expect(patternOf(observed(1, { src_ip: 'plc-1' }))).toContain("network-traffic:dst_ref.value IN ('10.20.1.20')")
  })

  it('is not made without traffic, or without observations', () => {
    expect(toIndicator('key', [observed(1, { src_ip: 'a', dst_ip: 'b' })], session, span)).toEqual([])
    expect(toIndicator('key', [], session, span)).toEqual([])
  })

  it('is sighted by the service as often as it was observed, from the first to the last moment', () => {
    const objects = toIndicator('key', [observed(5), observed(2), observed(9)], session, span)
    expect(objects.map(({ type }) => type)).toEqual([
      'indicator',
      'relationship',
      'relationship',
      'relationship',
      'relationship',
      'sighting',
    ])
    expect(objects.at(-1)).toMatchObject({
      first_seen: '2026-11-20T16:00:02.123Z',
      last_seen: '2026-11-20T16:00:09.123Z',
      count: 3,
      sighting_of_ref: objects[0]?.id,
      observed_data_refs: ['observed-data--5', 'observed-data--2', 'observed-data--9'],
      where_sighted_refs: [identityId],
    })
    expect(objects[0]).toMatchObject({ valid_from: span.from, modified: '2026-11-20T16:00:09.123Z' })
  })
})
