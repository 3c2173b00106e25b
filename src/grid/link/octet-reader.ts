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

/** Wraps a fault of the octets of `what`, with the state that the message tells. */
export function faulty(what: string, fault: Omit<Fault, 'message'>, state: string): Refused {
  return { ok: false, fault: { ...fault, message: `Cannot decode ${what}: ${state}` } }
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

/** The octets of a reader, and how far it has read them. */
interface Cursor {
  what: string
  isOpen: boolean
  bytes: Uint8Array
  view: DataView
  at: number
  fault: Fault | undefined
}

function expectOpen({ what, isOpen }: Cursor): void {
  if (!isOpen) throw new Error(`The reader of a ${what} was used after it was done`)
}

/** Records a fault unless one is recorded already. */
function recordFault(cursor: Cursor, fault: Omit<Fault, 'message'>, state: string): void {
  cursor.fault ??= { ...fault, message: `Cannot decode ${cursor.what}: ${state}` }
}

/** Claims the next octets and returns where they start, or -1 when they are not there. */
function claim(cursor: Cursor, length: number, field: string): number {
  expectOpen(cursor)
  if (cursor.fault !== undefined) return -1
  const { at } = cursor
  const left = cursor.bytes.length - at
  if (length < 0 || length > left) {
    const state = `${field} needs ${length} octets at ${at}, ${left} are left`
    recordFault(cursor, { code: 'truncated', offset: at, field }, state)
    return -1
  }
  cursor.at = at + length
  return at
}

/** Ends the reading; the octets are released, so that an idle reader keeps no frame in memory. */
function end(cursor: Cursor, used: UsedReader): void {
  expectOpen(cursor)
  cursor.isOpen = false
  cursor.bytes = noOctets
  if (idleReaders.length < mostIdle) idleReaders.push(used)
}

function makeReader(): UsedReader {
  const view = new DataView(noOctets.buffer)
  const cursor: Cursor = { what: '', isOpen: false, bytes: noOctets, view, at: 0, fault: undefined }
  const field =
    (length: number, read: (view: DataView, start: number) => number) =>
    (name: string): number => {
      const start = claim(cursor, length, name)
      return start < 0 ? 0 : read(cursor.view, start)
    }
  const result = <T>(value: T): Decoded<T> => {
    end(cursor, used)
    return cursor.fault === undefined ? { ok: true, value } : { ok: false, fault: cursor.fault }
  }
  const reader: OctetReader = {
    offset: () => cursor.at,
    remaining: () => cursor.bytes.length - cursor.at,
    peek: () => cursor.bytes[cursor.at],
    failed: () => cursor.fault !== undefined,
    u8: field(1, (view, start) => view.getUint8(start)),
    u16: field(2, (view, start) => view.getUint16(start)),
    u16le: field(2, (view, start) => view.getUint16(start, true)),
    i16: field(2, (view, start) => view.getInt16(start)),
    u24: field(3, (view, start) => view.getUint8(start) * 65536 + view.getUint16(start + 1)),
    u24le: field(3, (view, start) => view.getUint16(start, true) + view.getUint8(start + 2) * 65536),
    u32: field(4, (view, start) => view.getUint32(start)),
    u32le: field(4, (view, start) => view.getUint32(start, true)),
    i32: field(4, (view, start) => view.getInt32(start)),
    f32: field(4, (view, start) => view.getFloat32(start)),
    f32le: field(4, (view, start) => view.getFloat32(start, true)),
    u48le: field(6, (view, start) => view.getUint32(start, true) + view.getUint16(start + 4, true) * 2 ** 32),
    take: (length, name) => {
      const start = claim(cursor, length, name)
      return start < 0 ? new Uint8Array(0) : cursor.bytes.slice(start, start + length)
    },
    fail: (code, name, state, offset = cursor.at) => recordFault(cursor, { code, offset, field: name }, state),
    finish: (value) => {
      const left = cursor.bytes.length - cursor.at
      if (left > 0) reader.fail('trailing', 'end', `${left} octets are left after the last field`)
      return result(value)
    },
    result,
    refuse: () => {
      end(cursor, used)
      const { what, at: offset, fault } = cursor
      if (fault !== undefined) return { ok: false, fault }
      return faulty(what, { code: 'value', offset, field: 'frame' }, 'nothing was decoded')
    },
  }
  const used: UsedReader = {
    open: (bytes, what) => {
      cursor.what = what
      cursor.isOpen = true
      cursor.bytes = bytes
      cursor.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      cursor.at = 0
      cursor.fault = undefined
      return reader
    },
  }
  return used
}
