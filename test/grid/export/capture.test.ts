import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { findTelecontrol } from '#grid/engine.ts'
import { type CaptureFrame, captureFrames } from '#grid/export/capture.ts'
import { encodeLabels } from '#grid/export/labels.ts'
import { encodePcap } from '#grid/export/pcap.ts'
import { encodePcapng } from '#grid/export/pcapng.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import { decodeFrame } from '#grid/link/frame.ts'
import { decodeC37118 } from '#grid/protocols/c37118.ts'
import { streamConfigurations } from '#grid/telecontrol/phasor-configuration.ts'
import type { PacketLabel, PacketRecord } from '#grid/types.ts'
import { captureRecords, configurationOf } from '../../support/grid-capture.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'

const records = captureRecords()
const configurations = new Map([4, 5].map((id) => [id, configurationOf(id)]))
const added = (frames: readonly CaptureFrame[]) => frames.filter(({ record }) => record === undefined)

const label: PacketLabel = {
  attack_id: 'SCALE-1',
  attack_type: 'SCALE',
  technique: { id: 'T1692.002', legacy_id: 'T0856', name: 'x', tactic: 'impair-process-control' },
  changes: [{ field: 'pmus.0.frequencyHz', old: 60, new: 90 }],
}

describe('captureFrames()', () => {
  it('puts CFG-2 before the data of a stream that lacks it, and nowhere else', () => {
    const frames = [...captureFrames(records, configurations)]
    // Once for each tap.
    expect(added(frames).map(({ tap }) => tap)).toEqual(['before', 'after'])
    const at = frames.findIndex(({ record }) => record === undefined)
    expect(frames[at + 1]?.record?.src).toBe('10.20.2.15:4713')
    const outcome = decodeFrame(frames[at]?.bytes ?? new Uint8Array())
    if (!outcome.ok || outcome.value.carrier !== 'udp') throw new Error('expected a datagram')
    const frame = decodeC37118(outcome.value.payload)
    expect(frame).toMatchObject({ ok: true, value: { idCode: 5, configuration: configurationOf(5) } })
  })

  it('fits CFG-2 into the sequence numbers of a TCP stream whose beginning is gone', () => {
    const fromData = records.filter(({ protocol, dst }) => protocol === 'C37.118' && dst.endsWith(':50004')).slice(3)
    const frames = [...captureFrames(fromData, configurations)]
    expect(added(frames)).toHaveLength(2)
    const [first, second] = frames.map(({ bytes }) => {
      const outcome = decodeFrame(bytes)
      if (!outcome.ok || outcome.value.carrier !== 'tcp') throw new Error('expected a segment')
      return outcome.value.segment
    })
    expect(((first?.sequence ?? 0) + (first?.payload.length ?? 0)) % 2 ** 32).toBe(second?.sequence)
  })

  it('puts CFG-2 in front of the acknowledgment with which the capture of a TCP stream begins', () => {
    const { frames } = runSteps(startWorld(), 20)
    const tcp = frames.filter(({ src, dst }) => [src, dst].some((end) => end.endsWith(':4712')))
    const isData = ({ protocol, src }: PacketRecord) => protocol === 'C37.118' && src.endsWith(':4712')
    const second = tcp.filter(isData)[2]
    // What follows is the acknowledgment of that frame, and then the rest.
    const rest = tcp.slice(tcp.findIndex((frame) => frame.frameNo === second?.frameNo) + 1)
    expect(rest[0]?.protocol).toBe('TCP')
    const plan = findTelecontrol(startWorld())
    const known = new Map(
      plan.pmus.flatMap(({ idCode, link }) => {
        const configuration = streamConfigurations(plan, 5).get(link)
        return configuration === undefined ? [] : [[idCode, configuration] as const]
      }),
    )
    const after = [...captureFrames(rest, known)].filter(({ tap }) => tap === 'after')
    expect(after.map(({ record }) => record === undefined).indexOf(true)).toBe(0)
    expect(added(after)).toHaveLength(1)
    const numbers = after.slice(0, 3).map(({ bytes }) => {
      const outcome = decodeFrame(bytes)
      if (!outcome.ok || outcome.value.carrier !== 'tcp') throw new Error('expected a segment')
      const { sequence, acknowledgment, payload } = outcome.value.segment
      return { from: outcome.value.sourcePort, next: (sequence + payload.length) % 2 ** 32, acknowledgment }
    })
    expect(numbers[0]).toEqual({ from: 4712, next: numbers[1]?.acknowledgment, acknowledgment: numbers[1]?.next })
  })

  it('adds nothing for a stream whose configuration is not known', () => {
    expect(added([...captureFrames(records, new Map())])).toEqual([])
  })
})

/** One altered message as both taps saw it, then a lost one, then a clean one. */
function attackedRecords(): readonly PacketRecord[] {
  const [base] = records.filter(({ protocol }) => protocol === 'GOOSE')
  if (base === undefined) throw new Error('expected a record')
  return [
    { ...base, frameNo: 11, tap: 'before', status: 'attacked', label },
    { ...base, frameNo: 12, tap: 'after', status: 'attacked', label },
    { ...base, frameNo: 13, tap: 'before', status: 'dropped', label },
    { ...base, frameNo: 14 },
  ]
}

describe('encodePcap()', () => {
  it('holds what the receivers saw', () => {
    const file = concatBytes(...encodePcap(captureFrames(attackedRecords(), configurations)))
    expect(readCapture(file)).toHaveLength(2)
  })

  it('holds what the senders saw, with the tap `before`', () => {
    const frames = captureFrames(attackedRecords(), configurations)
    expect(readCapture(concatBytes(...encodePcap(frames, 'before')))).toHaveLength(3)
  })

  it('writes the same bytes for the same frames', () => {
    const [once, twice] = [1, 2].map(() => concatBytes(...encodePcap(captureFrames(records, configurations))))
    expect(twice).toEqual(once)
  })
})

describe('encodeLabels()', () => {
  it('has the right label and place of every frame in both files', () => {
    const text = decodeUtf8(concatBytes(...encodeLabels(captureFrames(attackedRecords(), configurations))))
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map((line) => [line.frame_no, line.pcap_frame, line.pcapng_frame, line.status, line.label])).toEqual([
      [11, null, 1, 'attacked', 'SCALE'],
      [12, 1, 2, 'attacked', 'SCALE'],
      [13, null, 3, 'dropped', 'SCALE'],
      [14, 2, 5, 'clean', 'NONE'],
    ])
    expect(lines.map((line) => line.pcapng_frame_before)).toEqual([1, null, 3, 4])
    expect(lines[1]).toMatchObject({ technique: 'T1692.002', technique_legacy: 'T0856', changes: label.changes })
  })

  it('counts the frames that the export added', () => {
    const text = decodeUtf8(concatBytes(...encodeLabels(captureFrames(records, configurations))))
    const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
    // Every clean frame is there twice, and so does the configuration.
    expect(last.pcapng_frame).toBe(2 * (records.length + 1))
    expect(last.frame_no).toBe(records.length)
  })
})

describe('encodePcapng()', () => {
  it('cuts a comment that is longer than an option can be', () => {
    const changes = [{ field: 'raw', old: 'é'.repeat(40_000), new: '' }]
    const [first] = captureFrames(records, configurations)
    if (first === undefined) throw new Error('expected a frame')
    const file = concatBytes(...encodePcapng([{ ...first, status: 'attacked', label: { ...label, changes } }]))
    expect(readCapture(file)).toHaveLength(1)
  })
})
