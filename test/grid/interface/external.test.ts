/** Reports of an outside simulator: records like our own, counters that add up, attacks passed on, heartbeats believed. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import type { JsonObject } from '#base/json.ts'
import {
  combineExternal,
  countIngested,
  describeExternalSimulation,
  emptyExternal,
  hasRoomFor,
  isExternalRunning,
  maximumActive,
  withOrder,
} from '#grid/interface/external.ts'
import { recordCaptured, recordIngested } from '#grid/interface/external-records.ts'
import type { IngestedPacket } from '#grid/interface/ingest-requests.ts'
import { severityByStatus } from '#grid/records/incident.ts'
import { encodeUdpFrame, newHosts } from '../../support/grid-frames.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'

/** Frames that a session of our own sends in its first steps. */
const ownFrames = runSteps(startWorld(), 25).frames

function numbering(nextFrameNo = 1) {
  let ids = 0
  return { nextFrameNo, newId: () => (ids++).toString(16).padStart(8, '0') }
}

const packet: IngestedPacket = { timestamp: 1_764_000_000.25, protocol: 'DNP3', status: 'clean' }

const anyPacket: fc.Arbitrary<IngestedPacket> = fc.record(
  {
    timestamp: fc.integer({ min: 0, max: 4e15 }).map((us) => us / 1e6),
    protocol: fc.constantFrom('DNP3', 'S7', '=cmd'),
    status: fc.constantFrom('clean', 'attacked', 'dropped', 'invalid', 'forward_error', 'odd'),
    attack_type: fc.constantFrom('LAB', '', ' ', 'NONE'),
    src: fc.oneof(fc.constantFrom('192.0.2.1:20000', '192.0.2.1', 'plc', '', '[::1]:5'), fc.string()),
    dst: fc.constantFrom('192.0.2.2:0', '192.0.2.2:65536', '02:00:5e:00:00:0a'),
    raw_b64: fc.oneof(
      fc.constantFrom(...ownFrames.slice(0, 40).map(({ bytes }) => encodeBase64(bytes))),
      fc.uint8Array({ maxLength: 30 }).map(encodeBase64),
    ),
    description: fc.string(),
  },
  { requiredKeys: ['timestamp', 'protocol', 'status'] },
)

describe('recordIngested()', () => {
  it('makes an incident and a packet of every message, and a frame of every whole one, numbered without a gap', () => {
    fc.assert(
      fc.property(fc.array(anyPacket, { maxLength: 20 }), fc.integer({ min: 1, max: 9_000 }), (all, first) => {
        const { incidents, packets, frames } = recordIngested(all, numbering(first))
        expect([incidents.length, packets.length]).toEqual([all.length, all.length])
        expect(frames.map(({ frameNo }) => frameNo)).toEqual(frames.map((_, index) => first + index))
        expect(incidents.flatMap(({ frame_no }) => frame_no ?? [])).toEqual(frames.map(({ frameNo }) => frameNo))
        expect(new Set(incidents.map(({ id }) => id)).size).toBe(all.length)
        incidents.forEach((incident, index) => {
          const sent = all[index]
          const told = packets[index]
          expect(incident.severity).toBe(severityByStatus[incident.status])
          expect(incident.attack_type).not.toMatch(/^\s*$/)
          expect(incident.timestamp).toBe(sent?.timestamp)
          expect(incident.timestamp).toBe(told?.timestamp)
          expect([told?.protocol, told?.status, told?.attack]).toEqual([
            incident.protocol,
            incident.status,
            incident.attack_type,
          ])
          expect(told?.forwarded).toBe(incident.status !== 'dropped')
          for (const port of [incident.src_port, incident.dst_port]) {
            expect(port === undefined || (port >= 0 && port <= 65_535)).toBe(true)
          }
        })
      }),
      { seed: 31 },
    )
  })

  it.each([
    ['clean', 'clean', 'INFO'],
    ['attacked', 'attacked', 'HIGH'],
    ['dropped', 'dropped', 'MEDIUM'],
    ['forward_error', 'dropped', 'MEDIUM'],
    ['invalid', 'invalid', 'LOW'],
    ['CLEAN', 'invalid', 'LOW'],
  ])('reads the status %s as %s with severity %s', (given, status, severity) => {
    const { incidents } = recordIngested([{ ...packet, status: given }], numbering())
    expect(incidents[0]).toMatchObject({ status, severity })
  })

  it.each([
    ['192.0.2.1:502', { src_ip: '192.0.2.1', src_port: 502 }],
    ['192.0.2.1:65535', { src_ip: '192.0.2.1', src_port: 65_535 }],
    ['192.0.2.1:65536', { src_ip: '192.0.2.1:65536' }],
    ['192.0.2.1', { src_ip: '192.0.2.1' }],
    ['192.0.2.1:', { src_ip: '192.0.2.1:' }],
    ['02:00:5e:00:00:0a', { src_ip: '02:00:5e:00:00:0a' }],
    ['', {}],
  ])('splits the end %s into %j', (src, expected) => {
    const { src_ip, src_port } = recordIngested([{ ...packet, src }], numbering()).incidents[0] ?? {}
    expect(JSON.parse(JSON.stringify({ src_ip, src_port }))).toEqual(expected)
  })

  it('takes the ends of a whole frame where the message names none', () => {
    const endpoint = { mac: '02:00:5e:00:00:01', ip: '10.0.0.1', port: 4713 }
    const other = { mac: '02:00:5e:00:00:02', ip: '10.0.0.2', port: 4713 }
    const bytes = encodeUdpFrame(endpoint, other, Uint8Array.of(1, 2, 3), newHosts())
    const { incidents, packets, frames } = recordIngested(
      [{ ...packet, status: 'attacked', raw_b64: encodeBase64(bytes) }],
      numbering(7),
    )
    expect(incidents[0]).toMatchObject({ src_ip: '10.0.0.1', dst_port: 4713, frame_no: 7, attack_type: 'NONE' })
    expect(packets[0]).toMatchObject({ src: '10.0.0.1:4713', len: 3, frame_no: 7 })
    expect(frames[0]).toMatchObject({ protocol: 'DNP3', tap: 'after', label: null, payloadLength: 3 })
  })

  it('labels the frame of a message that names its attack, and taps a lost one before the attacker', () => {
    const raw_b64 = encodeBase64(ownFrames[0]?.bytes ?? new Uint8Array(0))
    const { frames } = recordIngested(
      [
        { ...packet, status: 'dropped', attack_type: 'LAB', raw_b64 },
        { ...packet, attack_type: 'LAB', raw_b64 },
      ],
      numbering(),
    )
    const label = { attack_id: 'LAB', attack_type: 'LAB', technique: null, changes: [] }
    expect(frames.map(({ tap, label: one }) => [tap, one])).toEqual([
      ['before', label],
      ['after', null],
    ])
  })

  it('counts the octets of a payload that is not a frame, and captures none', () => {
    const { packets, frames } = recordIngested([{ ...packet, raw_b64: 'BWQFAA==' }], numbering())
    expect([packets[0]?.len, packets[0]?.frame_no, frames]).toEqual([4, 0, []])
  })

  it('keeps the description and the values of the message', () => {
    const told = { description: 'as told', original_val: { a: 1 }, modified_val: { a: 2 } }
    expect(recordIngested([{ ...packet, ...told }], numbering()).incidents[0]).toMatchObject(told)
    expect(recordIngested([packet], numbering()).incidents[0]?.description).toBe('DNP3 clean packet')
  })
})

describe('recordCaptured()', () => {
  const readAt = (timeUs: number, bytes: Uint8Array) => ({ timeUs, bytes })
  const read = ownFrames.map(({ timeUs, bytes }) => readAt(timeUs, bytes))

  it('names the frames of our own sessions as they were named when they were sent', () => {
    const { frames } = recordCaptured(read, numbering())
    const own = ownFrames.map(({ protocol, src, dst, payloadLength }) => ({ protocol, src, dst, payloadLength }))
    // A GOOSE message is a whole frame to its sender, and what the frame carries to its receivers.
    const compared = frames.map(({ protocol, src, dst, payloadLength }, index) => ({
      protocol,
      src,
      dst,
      payloadLength: protocol === 'GOOSE' ? own[index]?.payloadLength : payloadLength,
    }))
    expect(compared).toEqual(own)
    expect(new Set(own.map(({ protocol }) => protocol)).size).toBeGreaterThan(4)
  })

  it('makes a frame of everything, and messages of all but those that only serve the network', () => {
    const garbage = readAt(5, Uint8Array.of(1, 2, 3))
    const { frames, incidents, packets } = recordCaptured([...read, garbage], numbering(100))
    expect(frames.map(({ frameNo }) => frameNo)).toEqual(frames.map((_, index) => 100 + index))
    const messages = frames.filter(({ protocol }) => protocol !== 'TCP' && protocol !== 'ARP')
    expect(incidents.map(({ frame_no }) => frame_no)).toEqual(messages.map(({ frameNo }) => frameNo))
    expect(packets.map(({ frame_no }) => frame_no)).toEqual(messages.map(({ frameNo }) => frameNo))
    expect(frames.filter(({ protocol }) => protocol === 'ARP').length).toBeGreaterThan(5)
    expect(incidents.at(-1)).toMatchObject({ protocol: 'unknown', status: 'invalid', severity: 'LOW' })
    expect(incidents.at(-1)).not.toHaveProperty('src_ip')
    expect(new Set(incidents.slice(0, -1).map(({ status }) => status))).toEqual(new Set(['clean']))
  })

  it('gives both directions of a flow one name', () => {
    const { frames } = recordCaptured(read, numbering())
    const flows = new Map<string, Set<string>>()
    for (const { src, dst, flow } of frames) {
      const ends = [src, dst].sort().join(' ')
      flows.set(ends, (flows.get(ends) ?? new Set()).add(flow))
    }
    expect([...flows.values()].every(({ size }) => size === 1)).toBe(true)
    expect(new Set(frames.map(({ flow }) => flow)).size).toBe(flows.size)
  })
})

describe('countIngested()', () => {
  it('sums batches of any size', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyPacket, { maxLength: 8 }), { maxLength: 6 }), (batches) => {
        const records = batches.map((batch) => recordIngested(batch, numbering()))
        const { counters } = records.reduce(countIngested, emptyExternal)
        const statuses = records.flatMap(({ incidents }) => incidents.map(({ status }) => status))
        expect(counters).toEqual({
          total_packets: statuses.length,
          modified_packets: statuses.filter((status) => status === 'attacked').length,
          dropped_packets: statuses.filter((status) => status === 'dropped').length,
        })
      }),
      { seed: 32 },
    )
  })
})

const asked = (params: JsonObject) => ({ params, schedule: { start_frame: 0, duration_frames: 0 } })

describe('withOrder()', () => {
  it('numbers every order, and keeps one attack of each type', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('A', 'B', 'C'), { minLength: 1, maxLength: 12 }), (types) => {
        let state = emptyExternal
        types.forEach((type, index) => {
          const { attack, state: next } = withOrder(state, type, asked({ index }), 5_000)
          expect(attack).toMatchObject({ attack_id: `${type}-${index + 1}`, since: 5, enabled: true })
          expect(next.active.at(-1)).toBe(attack)
          state = next
        })
        expect(new Set(state.active.map(({ type }) => type))).toEqual(new Set(types))
        expect(state.active).toHaveLength(new Set(types).size)
        expect(state.orders).toBe(types.length)
      }),
      { seed: 33 },
    )
    expect(emptyExternal.active).toEqual([])
  })
})

describe('hasRoomFor()', () => {
  it('is true below the bound, and at it for a type that is active already', () => {
    let state = emptyExternal
    for (let index = 0; index < maximumActive; index++) {
      expect(hasRoomFor(state, `T${index}`)).toBe(true)
      state = withOrder(state, `T${index}`, asked({}), 0).state
    }
    expect([hasRoomFor(state, 'NEW'), hasRoomFor(state, 'T3')]).toEqual([false, true])
  })
})

describe('combineExternal()', () => {
  it('shows the counters, the newest attack and all of them', () => {
    expect(combineExternal(emptyExternal)).toMatchObject({ type: 'NONE', enabled: false, total_packets: 0, active: [] })
    const one = withOrder(emptyExternal, 'A', asked({ x: 1 }), 0).state
    const two = withOrder(one, 'B', asked({ y: 2 }), 0).state
    const counted = countIngested(two, recordIngested([{ ...packet, status: 'attacked' }], numbering()))
    expect(combineExternal(counted)).toMatchObject({
      type: 'B',
      enabled: true,
      params: { y: 2 },
      total_packets: 1,
      modified_packets: 1,
      active: [{ type: 'A' }, { type: 'B' }],
    })
  })
})

describe('isExternalRunning()', () => {
  const heard = (running: boolean) => ({ ...emptyExternal, status: { running, interval_s: 10, atMs: 1_000_000 } })

  it('is true for three intervals after a heartbeat and not a millisecond longer', () => {
    expect([0, 29_999, 30_000, 30_001].map((ms) => isExternalRunning(heard(true), 1_000_000 + ms))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it('is false for one that reports so, and before the first heartbeat', () => {
    expect(isExternalRunning(heard(false), 1_000_000)).toBe(false)
    expect(isExternalRunning(emptyExternal, 1_000_000)).toBe(false)
  })
})

describe('describeExternalSimulation()', () => {
  it('has the time of the heartbeat and the counts', () => {
    const counters = emptyExternal.counters
    expect(describeExternalSimulation(emptyExternal)).toEqual({ external: { heard: false, ...counters } })
    const status = { running: true, interval_s: 10, atMs: 2_500 }
    expect(describeExternalSimulation({ ...emptyExternal, status })).toEqual({
      external: { heard: true, heard_at: 2.5, uptime_s: null, ...counters },
    })
    const timed = { ...status, uptime_s: 0 }
    expect(describeExternalSimulation({ ...emptyExternal, status: timed })).toMatchObject({ external: { uptime_s: 0 } })
  })
})
