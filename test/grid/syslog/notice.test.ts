/** Notices for collectors: severity by what an operator must do, and facts without those that are not known. */

import { describe, expect, it } from 'vitest'
import { describeAlarm, describeIncident, describeLoss } from '#grid/syslog/notice.ts'
import type { IncidentRecord } from '#grid/types.ts'

const source = { session: 's-1', simulation: 'training' }
const incident: IncidentRecord = {
  id: '0000002a',
  timestamp: 1_795_190_400.5,
  timestamp_iso: '2026-11-20T16:00:00.500000+00:00',
  protocol: 'DNP3',
  attack_type: 'DNP3_CONTROL',
  status: 'attacked',
}

describe('describeIncident()', () => {
  it('lists source, destination and attack, the most telling facts first', () => {
    const notice = describeIncident(
      {
        ...incident,
        severity: 'CRITICAL',
        description: 'Forged command: open CB-1-2',
        attack_id: 'DNP3_CONTROL-1',
        technique: { id: 'T1692.001', legacy_id: 'T0855', name: 'x', tactic: 'y' },
        src_ip: '10.20.0.66',
        dst_port: 20_000,
        frame_no: 7,
      },
      3,
      source,
    )
    expect(notice).toEqual({
      kind: 'incident',
      timestamp: 1_795_190_400.5,
      severity: 'CRITICAL',
      event: 'DNP3_CONTROL',
      text: 'Forged command: open CB-1-2',
      facts: [
        ['id', '0000002a'],
        ['number', '3'],
        ['session', 's-1'],
        ['simulation', 'training'],
        ['protocol', 'DNP3'],
        ['status', 'attacked'],
        ['attack', 'DNP3_CONTROL'],
        ['attackId', 'DNP3_CONTROL-1'],
        ['technique', 'T1692.001'],
        ['src', '10.20.0.66'],
        ['dstPort', '20000'],
        ['frame', '7'],
      ],
    })
  })

  it('has a text and a severity where an outside simulator gave none', () => {
    const { text, severity, facts } = describeIncident(incident, 1, { session: 's-1' })
    expect([text, severity]).toEqual(['DNP3 attacked packet', 'INFO'])
    expect(facts.map(([name]) => name)).not.toContain('simulation')
  })
})

describe('describeAlarm()', () => {
  it.each([
    ['dead_bus', 'CRITICAL'],
    ['lost_load', 'CRITICAL'],
    ['breaker', 'HIGH'],
    ['second_master', 'HIGH'],
    ['unknown_writer', 'HIGH'],
    ['unordered_command', 'HIGH'],
    ['chi_square', 'MEDIUM'],
  ])('of the detector %s is %s', (detector, severity) => {
    const alarm = { timestamp: 1, detector, where: 'RTU-1', text: 'is off', evidence: { off_pu: 0.5 } }
    expect(describeAlarm(alarm, source)).toEqual({
      kind: 'alarm',
      timestamp: 1,
      severity,
      event: detector,
      text: 'RTU-1: is off',
      facts: [
        ['detector', detector],
        ['where', 'RTU-1'],
        ['session', 's-1'],
        ['simulation', 'training'],
        ['evidence', '{"off_pu":0.5}'],
      ],
    })
  })
})

describe('describeLoss()', () => {
  it('counts the lost messages', () => {
    expect(describeLoss(12, 5, source)).toMatchObject({
      event: 'dropped',
      text: '12 messages were dropped because the collector did not take them',
      facts: [
        ['count', '12'],
        ['session', 's-1'],
        ['simulation', 'training'],
      ],
    })
  })
})
