/** Labels: the place of every frame in both capture files, and the ground truth of those that were attacked. */

import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import type { CaptureFrame } from '#grid/export/capture.ts'
import { encodeLabels } from '#grid/export/labels.ts'
import type { PacketLabel } from '#grid/types.ts'
import { captureRecords } from '../../support/grid-capture.ts'
import { must } from '../../support/must.ts'

const record = must(captureRecords()[0])
const label: PacketLabel = {
  attack_id: 'SCALE-1',
  attack_type: 'SCALE',
  technique: null,
  changes: [{ field: 'x', old: 1, new: 2 }],
}

/** A frame of a capture at one side of the attackers; without a number it is one that the export added. */
function frame(tap: 'before' | 'after', frameNo?: number, change: Partial<CaptureFrame> = {}): CaptureFrame {
  const { timeUs, bytes } = record
  const retained = frameNo === undefined ? {} : { record: { ...record, frameNo } }
  return { timeUs, bytes, tap, status: 'clean', label: null, ...retained, ...change }
}

const linesOf = (frames: readonly CaptureFrame[]) =>
  decodeUtf8(concatBytes(...encodeLabels(frames)))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const places = (frames: readonly CaptureFrame[]) =>
  linesOf(frames).map((line) => [line.frame_no, line.pcap_frame, line.pcapng_frame_before, line.pcapng_frame])

describe('encodeLabels()', () => {
  it('writes one line for a clean frame, which is there before and behind the attackers', () => {
    expect(places([frame('before', 1), frame('after', 1), frame('before', 2), frame('after', 2)])).toEqual([
      [1, 1, 1, 2],
      [2, 2, 3, 4],
    ])
  })

  it('writes a line for each form of an attacked frame, and the place of a dropped one on one side only', () => {
    const attacked = { status: 'attacked', label } as const
    expect(
      places([
        frame('before', 1, attacked),
        frame('after', 2, attacked),
        frame('before', 3, { status: 'dropped', label }),
      ]),
    ).toEqual([
      [1, null, 1, 1],
      [2, 1, null, 2],
      [3, null, 3, 3],
    ])
  })

  it('does not give a forged frame the place of the clean one before it', () => {
    const forged = frame('after', 2, { status: 'attacked', label })
    expect(places([frame('before', 1), frame('after', 1), forged])).toEqual([
      [1, 1, 1, 2],
      [2, 2, null, 3],
    ])
  })

  it('counts frames that the export added, and has no line for them', () => {
    expect(places([frame('before'), frame('after'), frame('before', 1), frame('after', 1)])).toEqual([[1, 2, 3, 4]])
  })

  it('has NONE and null for a clean frame, and the changes of an attacked one', () => {
    const [clean, attacked] = linesOf([
      frame('before', 1),
      frame('after', 1),
      frame('after', 2, { status: 'attacked', label }),
    ])
    expect(clean).toMatchObject({ label: 'NONE', attack_id: null, technique: null, changes: [] })
    expect(attacked).toMatchObject({
      label: 'SCALE',
      attack_id: 'SCALE-1',
      technique: null,
      technique_legacy: null,
      changes: label.changes,
      status: 'attacked',
      t_us: record.timeUs,
    })
  })
})
