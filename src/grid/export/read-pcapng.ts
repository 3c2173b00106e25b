/** Reads the blocks of PCAPNG files: sections of either byte order, enhanced and simple packets. */

import { blockType, byteOrderMark, optionCode } from './pcapng-format.ts'
import { addFrame, expectEthernet, malformed, type ReadFrame, takeFrame } from './read-frames.ts'

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

/**
 * Reads blocks in order; the interfaces are those of the current section.
 *
 * @throws GridError malformed_capture when a block is cut short, contradicts itself or holds a frame that is refused.
 */
export function readPcapng(bytes: Uint8Array, view: DataView): ReadFrame[] {
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

function* readOptions({ view, isLittle, end }: Block, from: number) {
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
