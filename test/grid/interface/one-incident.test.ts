import { describe, expect, it } from 'vitest'
import { findIncident, framesAround, reachUs } from '#grid/interface/one-incident.ts'
import { appendRecords, createRecords } from '#grid/records/records.ts'
import type { PacketRecord } from '#grid/types.ts'
import { incidentAt } from '../../support/grid-incidents.ts'

const attacked = incidentAt(5, { status: 'attacked', frame_no: 42 })
const middleUs = 1_795_190_405_000_000

/** A frame at a moment after the middle of an incident, with its number. */
function frameAt(offsetUs: number, frameNo: number): PacketRecord {
  return {
    frameNo,
    timeUs: middleUs + offsetUs,
    bytes: Uint8Array.of(frameNo),
    protocol: 'DNP3',
    status: 'clean',
    src: '10.20.2.12:20000',
    dst: '10.20.1.10:50000',
    flow: 'dnp3',
    payloadLength: 1,
    latencyMs: 0,
    tap: 'after',
    label: null,
  }
}

describe('findIncident()', () => {
  const records = createRecords()
  appendRecords(records, { incidents: [incidentAt(4), attacked], packets: [], frames: [] })

  it('finds a retained incident by its id', () => {
    expect(findIncident(records, attacked.id)).toBe(attacked)
  })

  it('refuses an unknown id, and repeats at most 64 characters of it', () => {
    expect(() => findIncident(records, 'x'.repeat(200))).toThrow(
      expect.objectContaining({
        code: 'not_found',
        message: `Cannot export incident "${'x'.repeat(64)}": it is not retained`,
      }),
    )
  })
})

describe('framesAround()', () => {
  const frames = [
    frameAt(-reachUs - 1, 40),
    frameAt(-reachUs, 41),
    frameAt(0, 42),
    frameAt(reachUs, 43),
    frameAt(reachUs + 1, 44),
  ]
  const numbers = (some: readonly PacketRecord[]) => some.map(({ frameNo }) => frameNo)

  it('keeps what is two seconds before and after the frame of the incident', () => {
    expect(numbers(framesAround(frames, attacked))).toEqual([41, 42, 43])
  })

  it('takes the time of an incident whose own frame is not retained', () => {
    const late = incidentAt(7, { status: 'dropped', frame_no: 7 })
    // 2.12 s behind the middle.
    expect(numbers(framesAround(frames, late))).toEqual([43, 44])
  })

  it('is refused where no frame of that time is retained', () => {
    expect(() => framesAround(frames, incidentAt(600))).toThrow(
      expect.objectContaining({
        code: 'capture_unavailable',
        message: 'Cannot export frames around incident "00000258": none is retained',
      }),
    )
  })
})
