/** Reads frames octet by octet: malformed octets are faults of the reader, which it records and does not throw. */

/** Faults of the octets of a frame. */
export type FaultCode =
  /** The octets end before a field does. */
  | 'truncated'
  /** Octets are left over after the last field. */
  | 'trailing'
  /** A length or count field contradicts the octets. */
  | 'length'
  /** A checksum or CRC does not match. */
  | 'checksum'
  /** A start octet, version or protocol identifier belongs to something else. */
  | 'protocol'
  /** A function code, type identifier or object is not one that we read. */
  | 'unsupported'
  /** A field holds a value that the standard does not allow. */
  | 'value'

/** One thing that is wrong with a frame, where it is and what would be right. */
export interface Fault {
  readonly code: FaultCode
  /** Octets from the start of what was decoded. */
  readonly offset: number
  readonly field: string
  /** A sentence: what was decoded, a colon, the state, what was expected. */
  readonly message: string
}

/** The outcome of decoding: a frame, or the first fault. A malformed frame is an event here, not an exception. */
export type Decoded<T> = { readonly ok: true; readonly value: T } | Refused

/** The outcome of decoding octets that are not a frame. */
export interface Refused {
  readonly ok: false
  readonly fault: Fault
}

/** Wraps a decoded value. */
export function decoded<T>(value: T): Decoded<T> {
  return { ok: true, value }
}

/** Wraps a fault; `what` is the thing that could not be decoded. */
export function faulty(what: string, code: FaultCode, offset: number, field: string, state: string): Refused {
  return { ok: false, fault: { code, offset, field, message: `Cannot decode ${what}: ${state}` } }
}

/** Adopts a part that was decoded with another reader: its value, or undefined after its fault is recorded here. */
export function adopt<T>(whole: OctetReader, part: Decoded<T>): T | undefined {
  if (part.ok) return part.value
  const { code, field, message } = part.fault
  // The message of the whole begins otherwise: "Cannot decode ASDU: " goes.
  whole.fail(code, field, message.replace(/^.*?: /, ''))
  return undefined
}

/** Integers and floats by their bits, big endian where they do not end in `le`; times of DNP3 are `u48le`. */
export type NumberKind = `${'u16' | 'u24' | 'u32' | 'f32'}${'' | 'le'}` | 'u8' | 'i16' | 'i32' | 'u48le'

/** A cursor over octets. After the first fault every read gives zero, so decoders need no check per field. */
export interface OctetReader extends Readonly<Record<NumberKind, (field: string) => number>> {
  readonly offset: () => number
  readonly remaining: () => number
  /** The next octet, which stays; undefined at the end. */
  readonly peek: () => number | undefined
  /** True once something was wrong: loops over declared counts stop here. */
  readonly failed: () => boolean
  /** A copy of the next `length` octets. */
  readonly take: (length: number, field: string) => Uint8Array
  /** Records a fault at the octet before the cursor unless one is recorded already. */
  readonly fail: (code: FaultCode, field: string, state: string, offset?: number) => void
  /** The frame, or the first fault; octets left over are a fault. */
  readonly finish: <T>(value: T) => Decoded<T>
  /** The same where octets may follow. */
  readonly result: <T>(value: T) => Decoded<T>
  /** The first fault, for a decoder that has nothing to return because it recorded one. */
  readonly refuse: () => Refused
}

/** Most readers, and most writers, that are kept to be used again; frames nest a few deep. */
export const mostIdle = 8

/** A reader with the step that makes it ready for other octets. */
interface UsedReader {
  readonly open: (bytes: Uint8Array, what: string) => OctetReader
}

/** Readers to use again: making one costs more than reading most frames. */
const idleReaders: UsedReader[] = []

/**
 * Opens a reader over octets, with the name of the frame for its faults; after its outcome it is used again.
 *
 * @throws Error when after its outcome one of its methods is called.
 */
export function readOctets(bytes: Uint8Array, what: string): OctetReader {
  return (idleReaders.pop() ?? makeReader()).open(bytes, what)
}

const noOctets = new Uint8Array(0)

function makeReader(): UsedReader {
  let bytes: Uint8Array = noOctets
  let frame = ''
  let isOpen = false
  let view: DataView = new DataView(noOctets.buffer)
  let at = 0
  let fault: Fault | undefined

  const fail = (code: FaultCode, field: string, state: string, offset = at): void => {
    fault ??= { code, offset, field, message: `Cannot decode ${frame}: ${state}` }
  }
  /** Claims the next octets and says where they start, or -1 when they are not there. */
  const claim = (length: number, field: string): number => {
    if (!isOpen) throw new Error(`The reader of a ${frame} was used after it was done`)
    if (fault !== undefined) return -1
    if (length < 0 || length > bytes.length - at) {
      fail('truncated', field, `${field} needs ${length} octets at ${at}, ${bytes.length - at} are left`)
      return -1
    }
    const start = at
    at += length
    return start
  }
  const field =
    (length: number, read: (start: number) => number) =>
    (name: string): number => {
      const start = claim(length, name)
      return start < 0 ? 0 : read(start)
    }
  /** Ends the reading; the octets are released, so that an idle reader keeps no frame in memory. */
  const end = (): void => {
    if (!isOpen) throw new Error(`The reader of a ${frame} was used after it was done`)
    isOpen = false
    bytes = noOctets
    if (idleReaders.length < mostIdle) idleReaders.push(used)
  }
  const result = <T>(value: T): Decoded<T> => {
    end()
    return fault === undefined ? { ok: true, value } : { ok: false, fault }
  }
  const reader: OctetReader = {
    offset: () => at,
    remaining: () => bytes.length - at,
    peek: () => bytes[at],
    failed: () => fault !== undefined,
    u8: field(1, (start) => view.getUint8(start)),
    u16: field(2, (start) => view.getUint16(start)),
    u16le: field(2, (start) => view.getUint16(start, true)),
    i16: field(2, (start) => view.getInt16(start)),
    u24: field(3, (start) => view.getUint8(start) * 65536 + view.getUint16(start + 1)),
    u24le: field(3, (start) => view.getUint16(start, true) + view.getUint8(start + 2) * 65536),
    u32: field(4, (start) => view.getUint32(start)),
    u32le: field(4, (start) => view.getUint32(start, true)),
    i32: field(4, (start) => view.getInt32(start)),
    f32: field(4, (start) => view.getFloat32(start)),
    f32le: field(4, (start) => view.getFloat32(start, true)),
    u48le: field(6, (start) => view.getUint32(start, true) + view.getUint16(start + 4, true) * 2 ** 32),
    take: (length, name) => {
      const start = claim(length, name)
      return start < 0 ? new Uint8Array(0) : bytes.slice(start, start + length)
    },
    fail,
    finish: (value) => {
      if (at < bytes.length) fail('trailing', 'end', `${bytes.length - at} octets are left after the last field`)
      return result(value)
    },
    result,
    refuse: () => {
      end()
      return fault === undefined ? faulty(frame, 'value', at, 'frame', 'nothing was decoded') : { ok: false, fault }
    },
  }
  const used: UsedReader = {
    open: (octets, what) => {
      bytes = octets
      frame = what
      isOpen = true
      view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength)
      at = 0
      fault = undefined
      return reader
    },
  }
  return used
}
