/** PCAPNG: blocks and options octet by octet, time in two words, and comments that say what happened to a frame. */

import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { encodeHex } from '#base/hex.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import type { CaptureFrame } from '#grid/export/capture.ts'
import { encodePcapng, formatComment } from '#grid/export/pcapng.ts'
import type { PacketLabel } from '#grid/types.ts'
import { must } from '../../support/must.ts'

const label: PacketLabel = {
  attack_id: 'SCALE-1',
  attack_type: 'SCALE',
  technique: { id: 'T1692.002', legacy_id: 'T0856', name: 'x', tactic: 'y' },
  changes: [
    { field: 'pmus.0.frequencyHz', old: 60, new: 90 },
    { field: 'text', old: 'a', new: null },
  ],
}

const frame: CaptureFrame = {
  timeUs: 1_795_190_400_000_001,
  bytes: Uint8Array.of(1, 2, 3, 4, 5),
  tap: 'after',
  status: 'clean',
  label: null,
}

/** The blocks of a file, each without type and lengths; throws where the two lengths differ. */
function blocksOf(frames: readonly CaptureFrame[]): { type: number; body: Uint8Array }[] {
  const file = concatBytes(...encodePcapng(frames))
  const view = new DataView(file.buffer, file.byteOffset, file.length)
  const blocks = []
  for (let at = 0; at < file.length; ) {
    const length = view.getUint32(at + 4, true)
    expect(view.getUint32(at + length - 4, true)).toBe(length)
    expect(length % 4).toBe(0)
    blocks.push({ type: view.getUint32(at, true), body: file.slice(at + 8, at + length - 4) })
    at += length
  }
  return blocks
}

describe('encodePcapng()', () => {
  const [section, before, after, packet] = blocksOf([frame])

  it('begins with a section of version 1.0 and unknown length', () => {
    expect(section?.type).toBe(0x0a0d0d0a)
    expect(encodeHex(must(section).body.subarray(0, 16))).toBe('4d3c2b1a' + '01000000' + 'ffffffffffffffff')
  })

  it('has an interface for each side of the attackers, Ethernet, in nanoseconds', () => {
    for (const [block, name] of [
      [before, 'tap-before'],
      [after, 'tap-after'],
    ] as const) {
      const { type, body } = must(block)
      expect(type).toBe(1)
      expect(encodeHex(body.subarray(0, 8))).toBe('01000000ffff0000')
      expect(encodeHex(body.subarray(8, 12))).toBe(`0200${name.length.toString(16).padStart(2, '0')}00`)
      expect(decodeUtf8(body.subarray(12, 12 + name.length))).toBe(name)
      // Option 9, one octet 9, padded; then the end of options.
      expect(encodeHex(body.subarray(-12))).toBe('09000100' + '09000000' + '00000000')
    }
  })

  it('writes interface, time, lengths and the padded frame of a packet', () => {
    const time = 1_795_190_400_000_001_000n
    const word = (value: bigint) => {
      const octets = new Uint8Array(4)
      new DataView(octets.buffer).setUint32(0, Number(value), true)
      return encodeHex(octets)
    }
    expect(packet?.type).toBe(6)
    expect(encodeHex(must(packet).body)).toBe(
      `01000000${word(time >> 32n)}${word(time & 0xffffffffn)}05000000050000000102030405000000`,
    )
  })

  it('puts the comment of an attacked frame behind it', () => {
    const attacked = must(blocksOf([{ ...frame, tap: 'before', status: 'dropped', label: null }])[3])
    const text = 'status=dropped'
    expect(encodeHex(attacked.body.subarray(0, 4))).toBe('00000000')
    expect(encodeHex(attacked.body.subarray(28, 32))).toBe('01000e00')
    expect(decodeUtf8(attacked.body.subarray(32, 32 + text.length))).toBe(text)
    expect(encodeHex(attacked.body.subarray(-6))).toBe('000000000000')
  })

  it.each([0, 1, 2, 3])('cuts a comment at 65535 octets and not inside a character, shifted by %d', (shift) => {
    const long = { ...label, changes: [{ field: 'x'.repeat(shift), old: '\u20ac'.repeat(30_000), new: '' }] }
    const { body } = must(blocksOf([{ ...frame, status: 'attacked', label: long }])[3])
    const view = new DataView(body.buffer, body.byteOffset, body.length)
    const length = view.getUint16(30, true)
    const comment = new TextDecoder('utf-8', { fatal: true }).decode(body.subarray(32, 32 + length))
    expect(comment.endsWith('\u20ac...')).toBe(true)
    expect(length).toBeGreaterThan(65_500)
  })
})

describe('formatComment()', () => {
  it('has status, attack, technique and changes', () => {
    expect(formatComment({ ...frame, status: 'attacked', label })).toBe(
      'status=attacked attack=SCALE attack_id=SCALE-1 technique=T1692.002 legacy=T0856; ' +
        'pmus.0.frequencyHz: 60 -> 90; text: "a" -> null',
    )
  })

  it('leaves out the technique of an attack that has none', () => {
    expect(formatComment({ ...frame, status: 'invalid', label: { ...label, technique: null, changes: [] } })).toBe(
      'status=invalid attack=SCALE attack_id=SCALE-1',
    )
  })

  it('is absent for clean frames', () => {
    expect(formatComment(frame)).toBeUndefined()
  })
})
