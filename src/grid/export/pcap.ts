/** Writes classic PCAP files of what the receivers' side of the network saw. */

import { writeOctets } from '../link/octet-writer.ts'
import type { CaptureFrame } from './capture.ts'
import { inChunks } from './chunk.ts'

/** Most octets of a frame that a file may hold. */
export const snapLength = 65_535

/**
 * Yields a classic PCAP file in chunks. A file without frames is its 24 octets of header.
 *
 * ```
 *  0   4  LE   magic: A1B2C3D4, for microseconds
 *  4   4  LE   version 2.4 as 2 and 2
 *  8   8       zone and accuracy, both 0
 * 16   4  LE   snap length 65535
 * 20   4  LE   link type 1, Ethernet
 * then per frame
 *  0   4  LE   seconds
 *  4   4  LE   microseconds
 *  8   4  LE   octets captured
 * 12   4  LE   octets on the wire
 * 16   n       frame
 * ```
 *
 * The format has one tap and no comments. On the receivers' side it holds what was received of a message that an
 * attacker altered, and nothing of one that was lost. PCAPNG shows both sides. Source: draft-ietf-opsawg-pcap section 4.
 */
export function encodePcap(
  frames: Iterable<CaptureFrame>,
  wanted: CaptureFrame['tap'] = 'after',
): Generator<Uint8Array> {
  return inChunks(pieces(frames, wanted))
}

function* pieces(frames: Iterable<CaptureFrame>, wanted: CaptureFrame['tap']): Generator<Uint8Array> {
  yield writeOctets('PCAP header')
    .u32le(0xa1b2c3d4, 'magic')
    .u16le(2, 'major version')
    .u16le(4, 'minor version')
    .u32le(0, 'zone')
    .u32le(0, 'accuracy')
    .u32le(snapLength, 'snap length')
    .u32le(1, 'link type')
    .done()
  for (const { timeUs, bytes, tap } of frames) {
    if (tap !== wanted) continue
    const seconds = Math.floor(timeUs / 1e6)
    yield writeOctets('PCAP record')
      .u32le(seconds, 'seconds')
      .u32le(timeUs - seconds * 1e6, 'fraction')
      .u32le(bytes.length, 'captured')
      .u32le(bytes.length, 'length')
      .bytes(bytes)
      .done()
  }
}
