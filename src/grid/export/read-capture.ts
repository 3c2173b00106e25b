/** Reads capture files within bounds: classic PCAP in both byte orders and resolutions, and PCAPNG. */

import { GridError } from '../errors.ts'
import { blockType, byteOrderMark, optionCode } from './pcapng-format.ts'

/** One frame of a capture file. */
export interface ReadFrame {
  /** Integer microseconds since the Unix epoch. */
  readonly timeUs: number
  readonly bytes: Uint8Array
}

/** Bounds of an upload: more frames than are retained make no sense in one body. */
const maximumFrames = 20_000
const maximumFrameLength = 65_535

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

/** Ethernet, in the numbering of both formats. */
const ethernetLink = 1

function malformed(state: string): GridError {
  return new GridError('malformed_capture', `Cannot read capture: ${state}`, {
    hint: 'Send a PCAP or PCAPNG file with Ethernet frames, as tcpdump or Wireshark writes it',
  })
}

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

function expectEthernet(linkType: number): void {
  if (linkType !== ethernetLink) throw malformed(`its link type is ${linkType}, expected ${ethernetLink} (Ethernet)`)
}

function takeFrame(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (length > maximumFrameLength) {
    throw malformed(`the frame at ${at} has ${length} octets, expected at most ${maximumFrameLength}`)
  }
  if (length > bytes.length - at)
    throw malformed(`the frame at ${at} claims ${length} octets, ${bytes.length - at} are left`)
  return bytes.slice(at, at + length)
}

/** @param wireLength - octets that the frame had on the wire: more than it has where the capture cut it. */
function addFrame(frames: ReadFrame[], frame: ReadFrame, wireLength: number): void {
  if (frames.length >= maximumFrames) throw malformed(`it has more than ${maximumFrames} frames`)
  if (wireLength < frame.bytes.length) {
    throw malformed(`frame ${frames.length + 1} captured ${frame.bytes.length} of ${wireLength} octets`)
  }
  frames.push(frame)
}

/** One interface of a section: how its times count. */
interface CaptureInterface {
  readonly linkType: number
  /** Counts in one second. */
  readonly resolution: bigint
  /** Seconds to add. */
  readonly offset: bigint
  readonly snapLength: number
}

/** The end of the 32 bits for seconds of a classic file, in 2106: a later frame could not be exported in one. */
const endUs = 2 ** 32 * 1_000_000

/** Reads blocks in order; the interfaces are those of the current section. */
function readPcapng(bytes: Uint8Array, view: DataView): ReadFrame[] {
  const frames: ReadFrame[] = []
  let interfaces: CaptureInterface[] = []
  let isLittle = true
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < 12) throw malformed(`the block at ${at} is cut short`)
    if (view.getUint32(at) === blockType.section) {
      isLittle = readByteOrder(view, at)
      interfaces = []
    }
    const type = view.getUint32(at, isLittle)
    const length = readBlockLength(view, at, isLittle)
    const block = { bytes, view, isLittle, start: at + 8, end: at + length - 4 }
    if (type === blockType.section) expectVersion(block)
    else if (type === blockType.interface) interfaces.push(readInterface(block))
    else if (type === blockType.enhanced) addEnhanced(frames, block, interfaces)
    else if (type === blockType.simple) addSimple(frames, block, interfaces)
    at += length
  }
  return frames
}

interface Block {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly isLittle: boolean
  /** Offsets at which its body starts and ends. */
  readonly start: number
  readonly end: number
}

/** Tests that a section is little endian. */
function readByteOrder(view: DataView, at: number): boolean {
  const isLittle = view.getUint32(at + 8, true) === byteOrderMark
  if (isLittle || view.getUint32(at + 8) === byteOrderMark) return isLittle
  throw malformed(`the section at ${at} has no byte order mark`)
}

function readBlockLength(view: DataView, at: number, isLittle: boolean): number {
  const length = view.getUint32(at + 4, isLittle)
  const left = view.byteLength - at
  if (length < 12 || length % 4 !== 0 || length > left) {
    throw malformed(`the block at ${at} claims ${length} octets, ${left} are left`)
  }
  if (view.getUint32(at + length - 4, isLittle) !== length) {
    throw malformed(`the block at ${at} ends with another length than it begins with`)
  }
  return length
}

function expectBody({ start, end }: Block, length: number): void {
  if (end - start < length) throw malformed(`the block at ${start - 8} has no room for its fields`)
}

function expectVersion(block: Block): void {
  expectBody(block, 16)
  const major = block.view.getUint16(block.start + 4, block.isLittle)
  if (major !== 1) throw malformed(`the section at ${block.start - 8} has version ${major}, expected 1`)
}

function readInterface(block: Block): CaptureInterface {
  expectBody(block, 8)
  const { view, isLittle, start } = block
  const linkType = view.getUint16(start, isLittle)
  let resolution = 1_000_000n
  let offset = 0n
  for (const option of readOptions(block, start + 8)) {
    if (option.code === optionCode.resolution && option.length === 1) {
      const exponent = view.getUint8(option.at)
      // Bit 7 set: a power of two. Exponents beyond these have no use and would make numbers without end.
      if ((exponent & 0x7f) > 63) throw malformed(`the interface at ${start - 8} has time resolution ${exponent}`)
      resolution = exponent & 0x80 ? 2n ** BigInt(exponent & 0x7f) : 10n ** BigInt(exponent)
    }
    if (option.code === optionCode.timeOffset && option.length === 8) offset = view.getBigInt64(option.at, isLittle)
  }
  const snapLength = view.getUint32(start + 4, isLittle)
  return { linkType, resolution, offset, snapLength }
}

function* readOptions(
  block: Block,
  from: number,
): Generator<{ readonly code: number; readonly length: number; readonly at: number }> {
  const { view, isLittle, end } = block
  for (let at = from; at + 4 <= end; ) {
    const code = view.getUint16(at, isLittle)
    const length = view.getUint16(at + 2, isLittle)
    if (code === 0) return
    if (at + 4 + length > end) throw malformed(`the option at ${at} claims ${length} octets, ${end - at - 4} are left`)
    yield { code, length, at: at + 4 }
    at += 4 + length + ((4 - (length % 4)) % 4)
  }
}

function findInterface(interfaces: readonly CaptureInterface[], number: number, at: number): CaptureInterface {
  const found = interfaces[number]
  if (found === undefined)
    throw malformed(`the packet at ${at} names interface ${number}, ${interfaces.length} are described`)
  expectEthernet(found.linkType)
  return found
}

function addEnhanced(frames: ReadFrame[], block: Block, interfaces: readonly CaptureInterface[]): void {
  expectBody(block, 20)
  const { bytes, view, isLittle, start, end } = block
  const { resolution, offset } = findInterface(interfaces, view.getUint32(start, isLittle), start - 8)
  const high = BigInt(view.getUint32(start + 4, isLittle))
  const low = BigInt(view.getUint32(start + 8, isLittle))
  const timeUs = Number((((high << 32n) | low) * 1_000_000n) / resolution + offset * 1_000_000n)
  if (timeUs < 0 || timeUs >= endUs) throw malformed(`the packet at ${start - 8} has a time out of range`)
  const frame = takeFrame(bytes.subarray(0, end), start + 20, view.getUint32(start + 12, isLittle))
  addFrame(frames, { timeUs, bytes: frame }, view.getUint32(start + 16, isLittle))
}

function addSimple(frames: ReadFrame[], block: Block, interfaces: readonly CaptureInterface[]): void {
  expectBody(block, 4)
  const { bytes, view, isLittle, start, end } = block
  const { snapLength } = findInterface(interfaces, 0, start - 8)
  const wireLength = view.getUint32(start, isLittle)
  const captured = snapLength === 0 ? wireLength : Math.min(wireLength, snapLength)
  const timeUs = frames.at(-1)?.timeUs ?? 0
  addFrame(frames, { timeUs, bytes: takeFrame(bytes.subarray(0, end), start + 4, captured) }, wireLength)
}
