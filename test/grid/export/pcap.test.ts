/** Classic PCAP: the header and a record octet by octet, and one side of the attackers. */

import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { encodeHex } from '#base/hex.ts'
import type { CaptureFrame } from '#grid/export/capture.ts'
import { encodePcap } from '#grid/export/pcap.ts'

const frame = (timeUs: number, octet: number, change: Partial<CaptureFrame> = {}): CaptureFrame => ({
  timeUs,
  bytes: Uint8Array.of(octet, 0xbb),
  tap: 'after',
  status: 'clean',
  label: null,
  ...change,
})

const hexOf = (frames: readonly CaptureFrame[], wanted?: CaptureFrame['tap']) =>
  encodeHex(concatBytes(...encodePcap(frames, wanted)))

const rest = '02000400' + '0000000000000000' + 'ffff0000' + '01000000'

describe('encodePcap()', () => {
  it('writes only the header without frames', () => {
    expect(hexOf([])).toBe(`d4c3b2a1${rest}`)
  })

  it('writes seconds, fraction and both lengths in front of each frame', () => {
    const lengths = '0200000002000000'
    expect(hexOf([frame(1_000_002, 1), frame(2_999_999, 2)]).slice(48)).toBe(
      `0100000002000000${lengths}01bb` + `020000003f420f00${lengths}02bb`,
    )
  })

  it('holds one side of the attackers, the receivers where none is named', () => {
    const frames = [frame(1, 1, { tap: 'before' }), frame(2, 2)]
    expect(hexOf(frames).slice(-4)).toBe('02bb')
    expect(hexOf(frames)).toHaveLength(48 + 36)
    expect(hexOf(frames, 'before').slice(-4)).toBe('01bb')
  })
})
