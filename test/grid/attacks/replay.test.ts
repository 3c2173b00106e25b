/** REPLAY: recorded octets in the place of new ones. */

import { describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import {
  alarmNames,
  changedOctets,
  detectors,
  duel,
  octetsOf,
  payloadOf,
  phasorField,
  phasorsOf,
} from '../../support/attack-session.ts'
import { expectForgery, expectRestUntouched } from '../../support/phasor-forgery.ts'

const measured = (octets: Uint8Array) => [
  ...phasorsOf(octets).flatMap((phasor) => [...phasorField.magnitude(phasor), ...phasorField.angle(phasor)]),
  ...phasorField.frequency(octets),
  ...phasorField.rocof(octets),
]

/** Payloads that arrived on one stream, and which of them were replayed. */
function stream({ frames }: ReturnType<typeof duel>['attacked'], host: string) {
  return frames
    .filter(({ src, tap, payloadLength }) => src.startsWith(`${host}:`) && tap === 'after' && payloadLength > 0)
    .map((frame) => ({ octets: payloadOf(frame), isReplayed: frame.label !== null }))
}

describe('REPLAY', () => {
  it('records first, honestly, and then loops the recording octet for octet, stream by stream', () => {
    const { attacked } = duel('REPLAY', { buffer_size: 7 })
    for (const host of ['10.20.2.1', '10.20.2.4']) {
      const payloads = stream(attacked, host)
      expect(payloads.map(({ isReplayed }) => isReplayed)).toEqual(payloads.map((_, index) => index >= 7))
      payloads.forEach(({ octets }, index) => {
        expect(encodeHex(octets)).toBe(encodeHex(payloads[index % 7]?.octets ?? new Uint8Array(0)))
      })
    }
  })

  it('keeps the carriers whole: only the recording and checksums differ from what the unit sent', () => {
    const options = { configuration: { agc_gain: 0 } }
    const run = duel('REPLAY', { buffer_size: 7, refresh_timestamps: true }, options)
    expectForgery(run, 'REPLAY', measured)
    expectRestUntouched(run)
  })

  it('with fresh time stamps differs from its recording only in the time', () => {
    const { attacked } = duel('REPLAY', { buffer_size: 4, refresh_timestamps: true })
    const payloads = stream(attacked, '10.20.2.2')
    const places = (octets: Uint8Array) => [...phasorField.time, ...phasorField.checksum(octets)]
    payloads.slice(4).forEach(({ octets }, index) => {
      const recorded = payloads[index % 4]?.octets ?? new Uint8Array(0)
      expect(changedOctets(recorded, octets).every((at) => places(octets).includes(at))).toBe(true)
    })
  })

  it('is given away by its time stamps, and by nothing while they are fresh and the grid rests', () => {
    expect(detectors(duel('REPLAY', { buffer_size: 10 }).alarms)).toEqual(['late', 'sequence'])
    const fresh = duel('REPLAY', { buffer_size: 10, refresh_timestamps: true }, { steps: 100 })
    expect(alarmNames(fresh.alarms)).toEqual(alarmNames(fresh.twinAlarms))
  })

  it('is given away by repetition when the recording is one frame', () => {
    const { alarms } = duel('REPLAY', { buffer_size: 1, refresh_timestamps: true })
    expect(alarmNames(alarms)).toEqual(['stale PMU-1', 'stale PMU-2', 'stale PMU-3', 'stale PMU-4'])
  })

  it('touches nothing when it never gets past recording', () => {
    const { attacked, twin } = duel('REPLAY', { buffer_size: 300 })
    expect(octetsOf(attacked.frames)).toEqual(octetsOf(twin.frames))
  })
})
