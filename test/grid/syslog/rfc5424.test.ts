/** Syslog messages in both formats, read by a parser that was written from the standards. */

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeAlarm, describeIncident, describeLoss } from '#grid/syslog/notice.ts'
import { formatSyslog, maximumOctets, type SyslogOrigin } from '#grid/syslog/rfc5424.ts'
import type { Incident, IncidentStatus, Severity } from '#grid/types.ts'
import { sweep } from '../../support/sweep.ts'
import { readCef, readFrames, readMessage } from '../../support/syslog.ts'

const session = '3f2b8c1e-6a54-4d0e-9b1f-2f7f8f0f6a11'
const origin: SyslogOrigin = { facility: 16, format: 'rfc5424', hostname: 'sluice', version: '1.0.0', session }
const source = { session, simulation: 'drill' }

const trip: Incident = {
  id: '0a1b2c3d',
  timestamp: 1_764_000_012.345_678,
  timestamp_iso: '2025-11-24T16:00:12.345678+00:00',
  protocol: 'GOOSE',
  src_ip: '02:00:00:00:00:07',
  dst_ip: '01:0c:cd:01:00:07',
  attack_type: 'GOOSE_TRIP_SPOOF',
  attack_id: 'GOOSE_TRIP_SPOOF-1',
  status: 'attacked',
  severity: 'CRITICAL',
  description: 'GOOSE trip of "line 7" forged',
  technique: { id: 'T1692.001', legacy_id: 'T0855', name: 'Unauthorized Message', tactic: 'impair' },
  impact: { effects: [{ branch: '7', to: 'open' }] },
  src_node: 'IED-7',
  dst_node: 'BCU-7',
  frame_no: 412,
}

const alarm = {
  timestamp: 1_764_000_013,
  detector: 'dead_bus',
  where: 'bus 7',
  text: 'no voltage',
  evidence: { bus: 7 },
}

const textOf = (octets: Uint8Array) => Buffer.from(octets).toString('utf8')

describe('formatSyslog()', () => {
  it('writes an incident as the examples of RFC 5424 are written', () => {
    const line = textOf(formatSyslog(describeIncident(trip, 7, source), 3, origin))
    expect(line).toBe(
      `${Buffer.byteLength(line) - 4} <130>1 2025-11-24T16:00:12.345678Z sluice sluice-grid ${session} incident ` +
        '[meta sequenceId="3"][origin software="sluice-grid" swVersion="1.0.0"]' +
        `[incident@32473 severity="CRITICAL" id="0a1b2c3d" number="7" session="${session}" simulation="drill" ` +
        'protocol="GOOSE" status="attacked" attack="GOOSE_TRIP_SPOOF" attackId="GOOSE_TRIP_SPOOF-1" ' +
        'technique="T1692.001" src="02:00:00:00:00:07" srcNode="IED-7" dst="01:0c:cd:01:00:07" dstNode="BCU-7" ' +
        String.raw`frame="412" impact="{\"effects\":[{\"branch\":\"7\",\"to\":\"open\"}\]}"] ` +
        '\ufeffGOOSE trip of "line 7" forged',
    )
    const page = readFileSync(new URL('../../../docs/grid.md', import.meta.url), 'utf8')
    expect(page, 'the example of docs/grid.md').toContain(line.slice(4).replace('\ufeff', ''))
  })

  it('writes CEF behind the same header, without a byte-order mark', () => {
    const [frame = new Uint8Array()] = readFrames(
      formatSyslog(describeIncident(trip, 7, source), 3, { ...origin, format: 'cef' }),
    )
    const { message, data, msgId } = readMessage(frame)
    expect([data, msgId]).toEqual([{}, 'incident'])
    expect(message.startsWith('CEF:0|Sluice|Grid|1.0.0|GOOSE_TRIP_SPOOF|GOOSE trip of "line 7" forged|10|rt=')).toBe(
      true,
    )
    expect(readCef(message).extension).toMatchObject({
      rt: '1764000012346',
      dvchost: 'sluice',
      cat: 'incident',
      externalId: '0a1b2c3d',
      act: 'attacked',
      app: 'GOOSE',
      smac: '02:00:00:00:00:07',
      dmac: '01:0c:cd:01:00:07',
      shost: 'IED-7',
      dhost: 'BCU-7',
      cs5: 'T1692.001',
      cs5Label: 'technique',
      cn1: '412',
      cn1Label: 'frame',
    })
  })

  it.each([
    ['INFO', 6, '1'],
    ['LOW', 5, '3'],
    ['MEDIUM', 4, '6'],
    ['HIGH', 3, '8'],
    ['CRITICAL', 2, '10'],
  ] as const)('gives %s the severities %i and %s', (severity, syslog, cef) => {
    const notice = describeIncident({ ...trip, severity }, 1, source)
    const [plain, second] = (['rfc5424', 'cef'] as const).map((format) => {
      const [frame = new Uint8Array()] = readFrames(formatSyslog(notice, 1, { ...origin, format }))
      return readMessage(frame)
    })
    expect([plain?.facility, plain?.severity, second?.severity]).toEqual([16, syslog, syslog])
    expect(readCef(second?.message ?? '').header[6]).toBe(cef)
  })

  it('writes alarms by the gravity of their detector, and how many messages were lost', () => {
    const read = (octets: Uint8Array) => readFrames(octets).map(readMessage)[0]
    const grave = read(formatSyslog(describeAlarm(alarm, source), 1, origin))
    expect(grave).toMatchObject({ severity: 2, msgId: 'alarm', message: '\ufeffbus 7: no voltage' })
    expect(grave?.data['alarm@32473']).toMatchObject({ detector: 'dead_bus', where: 'bus 7', evidence: '{"bus":7}' })
    expect(read(formatSyslog(describeAlarm({ ...alarm, detector: 'step' }, source), 1, origin))?.severity).toBe(4)
    const lost = read(formatSyslog(describeLoss(12, 1_764_000_000, source), 2, origin))
    expect(lost?.data['dropped@32473']).toMatchObject({ count: '12' })
    expect(lost?.message).toContain('12 messages were dropped')
  })

  it('begins to number again after 2147483647', () => {
    const sequence = (number: number) =>
      readFrames(formatSyslog(describeAlarm(alarm, source), number, origin)).map(readMessage)[0]?.data.meta
    expect([sequence(2_147_483_647), sequence(2_147_483_648)]).toEqual([
      { sequenceId: '2147483647' },
      { sequenceId: '1' },
    ])
  })
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.string({ unit: fc.constantFrom('"', '\\', ']', '[', '=', '|', '\n', '\r', ' ', 'ä', '\ud800', '😀') }),
)

const incidents = fc.record(
  {
    id: fc.string(),
    timestamp: fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: 0, max: 2_000_000_000 })),
    timestamp_iso: fc.constant(''),
    protocol: text,
    attack_type: text,
    status: fc.constantFrom<IncidentStatus>('attacked', 'dropped', 'invalid'),
    severity: fc.constantFrom<Severity>('INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'),
    description: text,
    src_ip: text,
    dst_ip: text,
    src_port: fc.nat(65_535),
    src_node: text,
    attack_id: text,
    impact: fc.dictionary(text, text, { maxKeys: 3 }),
  },
  { requiredKeys: ['id', 'timestamp', 'timestamp_iso', 'protocol', 'attack_type', 'status'] },
)

describe('any incident', () => {
  it('is one message that can be read, within the bound, in either format', () => {
    fc.assert(
      fc.property(incidents, fc.constantFrom('rfc5424' as const, 'cef' as const), (incident, format) => {
        const octets = formatSyslog(describeIncident(incident, 1, source), 1, { ...origin, format })
        const [frame = new Uint8Array(), ...more] = readFrames(octets)
        expect(more).toEqual([])
        expect(frame.length).toBeLessThanOrEqual(maximumOctets)
        expect(Buffer.from(frame).includes(10)).toBe(false)
        const { message, data } = readMessage(frame)
        if (format === 'cef') expect(readCef(message).extension).toMatchObject({ cat: 'incident' })
        else {
          expect(message.startsWith('\ufeff')).toBe(true)
          expect(data['incident@32473']).toBeDefined()
        }
      }),
      { numRuns: sweep(500) },
    )
  })
})
