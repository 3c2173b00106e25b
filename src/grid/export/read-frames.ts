/** Frames as they are read from capture files: within bounds, and of Ethernet. */

import { GridError } from '../errors.ts'
import type { CaptureFrame } from './capture.ts'

/** One frame of a capture file. */
export type ReadFrame = Pick<CaptureFrame, 'timeUs' | 'bytes'>

/** Bounds of an upload: more frames than are retained make no sense in one body. */
const maximumFrames = 20_000
const maximumFrameLength = 65_535

/** Ethernet, in the numbering of both formats. */
const ethernetLink = 1

/** The error for a file that is not a capture, or contradicts itself. */
export function malformed(state: string): GridError {
  return new GridError('malformed_capture', `Cannot read capture: ${state}`, {
    hint: 'Send a PCAP or PCAPNG file with Ethernet frames, as tcpdump or Wireshark writes it',
  })
}

/**
 * Checks the type of a link.
 *
 * @throws GridError malformed_capture when it is not Ethernet.
 */
export function expectEthernet(linkType: number): void {
  if (linkType !== ethernetLink) throw malformed(`its link type is ${linkType}, expected ${ethernetLink} (Ethernet)`)
}

/**
 * Copies the octets of a frame.
 *
 * @throws GridError malformed_capture when it is too long, or longer than what is left.
 */
export function takeFrame(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (length > maximumFrameLength) {
    throw malformed(`the frame at ${at} has ${length} octets, expected at most ${maximumFrameLength}`)
  }
  if (length > bytes.length - at)
    throw malformed(`the frame at ${at} claims ${length} octets, ${bytes.length - at} are left`)
  return bytes.slice(at, at + length)
}

/**
 * Adds a frame to those of a file.
 *
 * @param wireLength - octets that the frame had on the wire: more than it has where the capture cut it.
 * @throws GridError malformed_capture when the frame has more octets than were on the wire, or there are too many frames.
 */
export function addFrame(frames: ReadFrame[], frame: ReadFrame, wireLength: number): void {
  if (frames.length >= maximumFrames) throw malformed(`it has more than ${maximumFrames} frames`)
  if (wireLength < frame.bytes.length) {
    throw malformed(`frame ${frames.length + 1} captured ${frame.bytes.length} of ${wireLength} octets`)
  }
  frames.push(frame)
}
