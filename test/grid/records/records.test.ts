/** Retention of records. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  appendRecords,
  capturedFrames,
  createRecords,
  retention,
  selectIncidents,
  selectPackets,
} from '#grid/records/records.ts'
import type { Incident, IncidentStatus, PacketRecord } from '#grid/types.ts'

function incident(index: number, status: IncidentStatus = 'clean', protocol = 'DNP3'): Incident {
  const id = index.toString(16).padStart(8, '0')
  return { id, timestamp: index, timestamp_iso: '', protocol, attack_type: 'NONE', status }
}

function frame(frameNo: number, length: number): PacketRecord {
  return {
    frameNo,
    timeUs: frameNo,
    bytes: new Uint8Array(length),
    protocol: 'DNP3',
    status: 'clean',
    src: '',
    dst: '',
    flow: '',
    payloadLength: 0,
    latencyMs: 0,
    tap: 'after',
    label: null,
  }
}

describe('appendRecords()', () => {
  it('retains the newest 10,000 incidents and 1,000 packets, and counts the attacked among them', () => {
    const records = createRecords()
    for (let index = 0; index < 10_050; index++) {
      const status = index < 100 || index % 2 === 0 ? 'attacked' : 'clean'
      appendRecords(records, { incidents: [incident(index, status)], packets: [], frames: [] })
    }
    const { total, incidents } = selectIncidents(records, { limit: 0 })
    expect([total, incidents[0]?.timestamp]).toEqual([retention.incidents, 50])
    expect(records.attacked).toBe(incidents.filter(({ status }) => status === 'attacked').length)
  })

  it('bounds captured frames by number and by octets', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 60, max: 200_000 }), { maxLength: 120 }), (lengths) => {
        const records = createRecords()
        for (const [index, length] of lengths.entries()) {
          appendRecords(records, { incidents: [], packets: [], frames: [frame(index, length)] })
        }
        const kept = capturedFrames(records)
        const octets = kept.reduce((sum, { bytes }) => sum + bytes.length, 0)
        expect(octets).toBe(records.frameBytes)
        expect(octets).toBeLessThanOrEqual(retention.frameBytes)
        expect(kept.map(({ frameNo }) => frameNo)).toEqual(
          Array.from({ length: kept.length }, (_, index) => lengths.length - kept.length + index),
        )
      }),
      { seed: 4, numRuns: 40 },
    )
  })

  it('keeps counting octets right when the number is what bounds', () => {
    const records = createRecords()
    const total = retention.frames + 500
    for (let index = 0; index < total; index++) {
      appendRecords(records, { incidents: [], packets: [], frames: [frame(index, 60)] })
    }
    expect(capturedFrames(records)).toHaveLength(retention.frames)
    expect(records.frameBytes).toBe(retention.frames * 60)
  })
})

describe('selectIncidents()', () => {
  const records = createRecords()
  const incidents = [incident(1, 'attacked', 'Modbus'), incident(2), incident(3, 'dropped', 'modbus')]
  appendRecords(records, { incidents, packets: [], frames: [] })

  it('filters by protocol in any case and counts after the filter', () => {
    expect(selectIncidents(records, { limit: 1, proto: 'MODBUS' })).toMatchObject({ count: 1, total: 2 })
  })

  it('finds one incident by its id, and none under another', () => {
    const [first] = incidents
    expect(selectIncidents(records, { limit: 100, id: first?.id })).toMatchObject({ total: 1, incidents: [first] })
    expect(selectIncidents(records, { limit: 100, id: 'none' }).total).toBe(0)
  })

  it('matches nothing with the defect of old, because no record carries that field', () => {
    expect(selectIncidents(records, { limit: 0, proto: 'Modbus', legacyProtoFilter: true }).total).toBe(0)
  })

  it('has no packet summaries where none were added', () => {
    expect(selectPackets(records, 0)).toEqual({ count: 0, total: 0, packets: [] })
  })
})
