/** Writes PCAPNG files: both sides of the attackers as two interfaces, the ground truth as packet comments. */

import { encodeUtf8 } from '../../base/utf8.ts'
import { type OctetWriter, writeOctets } from '../link/octet-writer.ts'
import { type ChangeReader, findChanges, openChangeReader } from '../records/evidence.ts'
import type { CaptureFrame } from './capture.ts'
import { inChunks } from './chunk.ts'
import { snapLength } from './pcap.ts'
import { blockType, byteOrderMark, optionCode } from './pcapng-format.ts'

/** The taps of a capture of both sides, in the order of their interfaces. */
const bothTaps = ['before', 'after'] as const

/**
 * Yields a PCAPNG file in chunks.
 *
 * ```
 * section header   type 0A0D0D0A, length 4, byte order 1A2B3C4D, version 1.0 as 2 and 2, section length -1 in 8,
 *                  options: 4 application
 * interface (two)  type 1, length 4, link type 1 in 2, reserved 2, snap length 4,
 *                  options: 2 name (`tap-before`, `tap-after`), 9 resolution 9 (nanoseconds)
 * enhanced packet  type 6, length 4, interface 4, time high 4, time low 4, captured 4, length 4, frame padded to 4,
 *                  options: 1 comment on frames that are not clean
 * ```
 *
 * All little endian; every block ends with its length again, every option is code 2, length 2, value padded to 4.
 * Source: draft-ietf-opsawg-pcapng section 4.
 */
export function encodePcapng(frames: Iterable<CaptureFrame>): Generator<Uint8Array> {
  return inChunks(pieces(frames))
}

/** Formats the comment of a frame: its label in `key=value` words; undefined for clean frames. */
export function formatComment(
  { status, label }: CaptureFrame,
  readChanges: ChangeReader = findChanges,
): string | undefined {
  if (label === null) return status === 'clean' ? undefined : `status=${status}`
  const technique =
    label.technique === null ? [] : [`technique=${label.technique.id}`, `legacy=${label.technique.legacy_id}`]
  const changes = readChanges(label).map(({ field, old, new: now }) => {
    return `${field}: ${JSON.stringify(old)} -> ${JSON.stringify(now)}`
  })
  const words = [`status=${status}`, `attack=${label.attack_type}`, `attack_id=${label.attack_id}`, ...technique]
  return [words.join(' '), ...changes].join('; ')
}

function* pieces(frames: Iterable<CaptureFrame>): Generator<Uint8Array> {
  const readChanges = openChangeReader()
  yield* pcapngHead(bothTaps)
  for (const frame of frames) {
    yield pcapngPacket(frame, bothTaps.indexOf(frame.tap), formatComment(frame, readChanges))
  }
}

/** Yields the blocks before the first packet: the section, and an interface `tap-NAME` for each tap. */
export function* pcapngHead(taps: readonly string[]): Generator<Uint8Array> {
  yield block(blockType.section, (writer) => {
    writer.u32le(byteOrderMark, 'byte order').u16le(1, 'major').u16le(0, 'minor')
    // -1 in 64 bits: not stated.
    writer.u32le(0xffffffff, 'section length').u32le(0xffffffff, 'section length')
    putOption(writer, optionCode.application, encodeUtf8('Sluice grid simulation (synthetic traffic)'))
    writer.u32le(0, 'end of options')
  })
  for (const tap of taps) {
    yield block(blockType.interface, (writer) => {
      writer.u16le(1, 'link type').u16le(0, 'reserved').u32le(snapLength, 'snap length')
      putOption(writer, optionCode.name, encodeUtf8(`tap-${tap}`))
      putOption(writer, optionCode.resolution, Uint8Array.of(9))
      writer.u32le(0, 'end of options')
    })
  }
}

/** Encodes one frame as a packet block. */
export function pcapngPacket(
  { timeUs, bytes }: Pick<CaptureFrame, 'timeUs' | 'bytes'>,
  interfaceNumber: number,
  comment?: string,
): Uint8Array {
  // Nanoseconds since 1970 exceed 2^53: split them as BigInt.
  const time = BigInt(timeUs) * 1000n
  return block(blockType.enhanced, (writer) => {
    writer
      .u32le(interfaceNumber, 'interface')
      .u32le(Number(time >> 32n), 'time')
      .u32le(Number(time & 0xffffffffn), 'time')
      .u32le(bytes.length, 'captured')
      .u32le(bytes.length, 'length')
    putPadded(writer, bytes)
    if (comment === undefined) return
    putOption(writer, optionCode.comment, cut(encodeUtf8(comment)))
    writer.u32le(0, 'end of options')
  })
}

/** An option holds at most 65535 octets; a cut inside a character would not be UTF-8, so ASCII marks the cut. */
function cut(comment: Uint8Array): Uint8Array {
  if (comment.length <= 0xffff) return comment
  let end = 0xfff0
  while (((comment[end] ?? 0) & 0xc0) === 0x80) end--
  return Uint8Array.of(...comment.subarray(0, end), 0x2e, 0x2e, 0x2e)
}

/** Writes a block; its length, which is known at the end, goes to both of its places. */
function block(type: number, fill: (writer: OctetWriter) => void): Uint8Array {
  const writer = writeOctets('PCAPNG block').u32le(type, 'type').u32le(0, 'length')
  fill(writer)
  const length = writer.length() + 4
  const bytes = writer.u32le(length, 'length').done()
  new DataView(bytes.buffer).setUint32(4, length, true)
  return bytes
}

function putOption(writer: OctetWriter, code: number, value: Uint8Array): void {
  writer.u16le(code, 'option').u16le(value.length, 'option length')
  putPadded(writer, value)
}

function putPadded(writer: OctetWriter, bytes: Uint8Array): void {
  writer.bytes(bytes).bytes(new Uint8Array((4 - (bytes.length % 4)) % 4))
}
