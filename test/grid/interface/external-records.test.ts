/** Records of what an outside simulator sends: from captures, and from messages with and without their frame. */

import { describe, expect, it } from 'vitest'
import { encodeBase64 } from '#base/base64.ts'
import { recordCaptured, recordIngested } from '#grid/interface/external-records.ts'
import { far, near } from '../../support/grid-context.ts'
import { encodeUdpFrame, newHosts } from '../../support/grid-frames.ts'

/** A datagram to the port of DNP3, with three octets. */
const bytes = encodeUdpFrame(near, far, Uint8Array.of(5, 100, 0), newHosts())
const src = '10.20.1.10:50001'
const dst = '10.20.2.12:20000'

const readFrame = (timeUs: number, octets: Uint8Array) => ({ timeUs, bytes: octets })

const numbering = () => {
  let drawn = 0
  return { nextFrameNo: 7, newId: () => `0000000${drawn++}` }
}

describe('recordCaptured()', () => {
  it('makes a clean frame, packet and incident of what it can name', () => {
    const timeUs = 1_764_000_012_345_678
    const { frames, packets, incidents } = recordCaptured([readFrame(timeUs, bytes)], numbering())
    expect(frames).toEqual([
      {
        frameNo: 7,
        timeUs,
        bytes,
        protocol: 'DNP3',
        status: 'clean',
        src,
        dst,
        flow: `${src}-${dst}`,
        payloadLength: 3,
        latencyMs: 0,
        tap: 'after',
        label: null,
      },
    ])
    expect(packets).toMatchObject([{ protocol: 'DNP3', src, dst, len: 3, frame_no: 7 }])
    expect(incidents).toEqual([
      {
        id: '00000000',
        timestamp: 1_764_000_012.345678,
        timestamp_iso: '2025-11-24T16:00:12.345678+00:00',
        protocol: 'DNP3',
        src_ip: '10.20.1.10',
        dst_ip: '10.20.2.12',
        attack_type: 'NONE',
        status: 'clean',
        severity: 'INFO',
        description: 'DNP3 clean packet',
        frame_no: 7,
      },
    ])
  })

  it('keeps octets that are not a frame, as invalid, and numbers on', () => {
    const read = [Uint8Array.of(1, 2, 3), bytes].map((octets) => readFrame(0, octets))
    const { frames, incidents } = recordCaptured(read, numbering())
    expect(frames.map(({ frameNo, protocol, status }) => [frameNo, protocol, status])).toEqual([
      [7, 'unknown', 'invalid'],
      [8, 'DNP3', 'clean'],
    ])
    expect(incidents[0]).not.toHaveProperty('src_ip')
  })
})

describe('recordIngested()', () => {
  it('keeps no frame that is longer than a capture can hold', () => {
    const ethernet = (length: number) => {
      const octets = new Uint8Array(length)
      octets.set([0x88, 0xb5], 12)
      return encodeBase64(octets)
    }
    const message = { timestamp: 1, protocol: 'LAB', status: 'clean' }
    const { packets, frames } = recordIngested(
      [65_535, 65_536].map((length) => ({ ...message, raw_b64: ethernet(length) })),
      numbering(),
    )
    expect(frames.map((frame) => frame.bytes.length)).toEqual([65_535])
    expect(packets).toMatchObject([
      { len: 65_521, frame_no: 7 },
      { len: 65_536, frame_no: 0 },
    ])
  })

  it('makes an incident and a packet of a message, and a frame only of a whole one', () => {
    const message = { timestamp: 5.5, protocol: 'DNP3', status: 'clean' }
    const packets = [message, { ...message, raw_b64: 'AQID' }, { ...message, raw_b64: encodeBase64(bytes) }]
    const records = recordIngested(packets, numbering())
    expect([records.incidents.length, records.packets.length, records.frames.length]).toEqual([3, 3, 1])
    expect(records.packets.map(({ len, frame_no }) => [len, frame_no])).toEqual([
      [0, 0],
      [3, 0],
      [3, 7],
    ])
    expect(records.incidents.map((one) => one.frame_no)).toEqual([undefined, undefined, 7])
    expect(records.frames[0]).toMatchObject({ src, dst, timeUs: 5_500_000 })
  })

  it.each([
    ['192.0.2.1:502', { src_ip: '192.0.2.1', src_port: 502 }],
    ['192.0.2.1:65536', { src_ip: '192.0.2.1:65536' }],
    ['substation 7', { src_ip: 'substation 7' }],
    ['', {}],
  ])('reads the end %j as %j', (end, fields) => {
    const packet = { timestamp: 0, protocol: 'X', status: 'clean', src: end }
    const [{ src_ip, src_port } = {}] = recordIngested([packet], numbering()).incidents
    expect({ src_ip, src_port }).toEqual({ src_ip: undefined, src_port: undefined, ...fields })
  })

  it('labels the frame of an attacked message, and puts a dropped one before the attacker', () => {
    const attacked = { timestamp: 0, protocol: 'DNP3', attack_type: ' REPLAY ', raw_b64: encodeBase64(bytes) }
    const statuses = ['attacked', 'dropped', 'clean']
    const { frames, packets } = recordIngested(
      statuses.map((status) => ({ ...attacked, status })),
      numbering(),
    )
    expect(frames.map(({ tap, label }) => [tap, label?.attack_type])).toEqual([
      ['after', 'REPLAY'],
      ['before', 'REPLAY'],
      ['after', undefined],
    ])
    expect(packets.map(({ forwarded }) => forwarded)).toEqual([true, false, true])
  })
})
