/** Reads capture files within bounds: classic PCAP in both byte orders and resolutions, and PCAPNG. */

import { blockType } from './pcapng-format.ts'
import { addFrame, expectEthernet, malformed, type ReadFrame, takeFrame } from './read-frames.ts'
import { readPcapng } from './read-pcapng.ts'

/**
 * Reads a whole capture file, or nothing of it.
 *
 * Understands classic PCAP (both byte orders, micro- and nanoseconds) and PCAPNG (sections of either byte order,
 * enhanced and simple packet blocks, any time resolution); other PCAPNG blocks are skipped. A frame in a simple
 * packet block has no time and takes the time of the frame before it.
 *
 * Source: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
 *
 * @throws GridError malformed_capture when the octets are not such a file, are cut short, contradict themselves,
 *   hold a link type other than Ethernet, or exceed a bound. The message says where.
 */
export function readCapture(bytes: Uint8Array): readonly ReadFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 4) throw malformed(`it has ${bytes.length} octets, expected at least 24`)
  const magic = view.getUint32(0)
  if (magic === blockType.section) return readPcapng(bytes, view)
  const format = classicFormats.get(magic)
  if (format === undefined) {
    throw malformed(`it starts with 0x${magic.toString(16).padStart(8, '0')}, expected the magic of PCAP or PCAPNG`)
  }
  return readClassic(bytes, view, format)
}

interface ClassicFormat {
  readonly isLittle: boolean
  /** True when fractions count nanoseconds. */
  readonly isNano: boolean
}

const classicFormats: ReadonlyMap<number, ClassicFormat> = new Map([
  [0xa1b2c3d4, { isLittle: false, isNano: false }],
  [0xd4c3b2a1, { isLittle: true, isNano: false }],
  [0xa1b23c4d, { isLittle: false, isNano: true }],
  [0x4d3cb2a1, { isLittle: true, isNano: true }],
])

function readClassic(bytes: Uint8Array, view: DataView, format: ClassicFormat): ReadFrame[] {
  const { isLittle, isNano } = format
  if (bytes.length < 24) throw malformed(`its header has ${bytes.length} octets, expected 24`)
  const version = view.getUint16(4, isLittle)
  if (version !== 2) throw malformed(`its version is ${version}, expected 2`)
  expectEthernet(view.getUint32(20, isLittle) & 0xffff)
  const frames: ReadFrame[] = []
  for (let at = 24; at < bytes.length; ) {
    if (bytes.length - at < 16) throw malformed(`the record at ${at} is cut short`)
    const seconds = view.getUint32(at, isLittle)
    const fraction = view.getUint32(at + 4, isLittle)
    const captured = view.getUint32(at + 8, isLittle)
    const limit = isNano ? 1_000_000_000 : 1_000_000
    if (fraction >= limit) {
      throw malformed(`the record at ${at} has ${fraction} fractions of a second, expected fewer than ${limit}`)
    }
    const timeUs = seconds * 1_000_000 + (isNano ? Math.floor(fraction / 1000) : fraction)
    const frame = { timeUs, bytes: takeFrame(bytes, at + 16, captured) }
    addFrame(frames, frame, view.getUint32(at + 12, isLittle))
    at += 16 + captured
  }
  return frames
}
