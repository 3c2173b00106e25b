/** Writes frames octet by octet, and refuses a value that does not fit its field. */

import { GridError } from '../errors.ts'
import { mostIdle, type NumberKind } from './octet-reader.ts'

/**
 * Refuses a number that does not fit its field.
 *
 * @throws GridError malformed_frame when it is not an integer from 0 to `high`.
 */
export function expectField(what: string, field: string, value: number, high: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= high) return
  const state = `${field} is ${value}, expected an integer from 0 to ${high}`
  throw new GridError('malformed_frame', `Cannot encode ${what}: ${state}`)
}

type IntegerKind = Exclude<NumberKind, `f${string}`>

/** Appends fields to a growing frame; every method returns the writer. */
export interface OctetWriter extends Readonly<Record<IntegerKind, (value: number, field: string) => OctetWriter>> {
  readonly f32: (value: number, field?: string) => OctetWriter
  readonly f32le: (value: number, field?: string) => OctetWriter
  readonly length: () => number
  readonly bytes: (bytes: Uint8Array) => OctetWriter
  /** Exactly the octets written so far; the writer must not be used afterwards. */
  readonly done: () => Uint8Array
}

/** Octets that a writer has room for before it grows, and most that it keeps for the next frame. */
const usualRoom = 512

const mostRoom = 16 * 1024

/** A writer with the step that makes it ready for another frame. */
interface UsedWriter {
  readonly open: (what: string) => OctetWriter
}

/** Writers to use again: making one costs more than writing most frames. */
const idleWriters: UsedWriter[] = []

/**
 * Opens a writer; `what` names the frame in the messages of its errors.
 *
 * @throws GridError malformed_frame when a value that is written does not fit its field.
 */
export function writeOctets(what: string): OctetWriter {
  return (idleWriters.pop() ?? makeWriter()).open(what)
}

/** A frame that grows; `view` is over `buffer`. */
interface Draft {
  what: string
  isOpen: boolean
  buffer: Uint8Array
  view: DataView
  length: number
}

/** Claims room behind what is written, in a larger buffer where it has none, and returns where it starts. */
function claimRoom(draft: Draft, length: number): number {
  if (!draft.isOpen) throw new Error(`The writer of a ${draft.what} was used after it was done`)
  const start = draft.length
  draft.length = start + length
  if (draft.length > draft.buffer.length) {
    const larger = new Uint8Array(Math.max(draft.buffer.length * 2, draft.length))
    larger.set(draft.buffer)
    draft.buffer = larger
    draft.view = new DataView(larger.buffer)
  }
  return start
}

function makeWriter(): UsedWriter {
  const buffer = new Uint8Array(usualRoom)
  const draft: Draft = { what: '', isOpen: false, buffer, view: new DataView(buffer.buffer), length: 0 }
  const float =
    (isLittle: boolean) =>
    (value: number): OctetWriter => {
      const start = claimRoom(draft, 4)
      draft.view.setFloat32(start, value, isLittle)
      return writer
    }
  const integer =
    (length: number, low: number, high: number, write: (view: DataView, start: number, value: number) => void) =>
    (value: number, field: string): OctetWriter => {
      if (!Number.isInteger(value) || value < low || value > high) {
        const state = `${field} is ${value}, expected an integer from ${low} to ${high}`
        throw new GridError('malformed_frame', `Cannot encode ${draft.what}: ${state}`)
      }
      const start = claimRoom(draft, length)
      write(draft.view, start, value)
      return writer
    }
  const writer: OctetWriter = {
    length: () => draft.length,
    u8: integer(1, 0, 0xff, (view, start, value) => view.setUint8(start, value)),
    u16: integer(2, 0, 0xffff, (view, start, value) => view.setUint16(start, value)),
    u16le: integer(2, 0, 0xffff, (view, start, value) => view.setUint16(start, value, true)),
    i16: integer(2, -0x8000, 0x7fff, (view, start, value) => view.setInt16(start, value)),
    u24: integer(3, 0, 0xffffff, (view, start, value) => {
      view.setUint8(start, value >>> 16)
      view.setUint16(start + 1, value & 0xffff)
    }),
    u24le: integer(3, 0, 0xffffff, (view, start, value) => {
      view.setUint16(start, value & 0xffff, true)
      view.setUint8(start + 2, value >>> 16)
    }),
    u32: integer(4, 0, 0xffffffff, (view, start, value) => view.setUint32(start, value)),
    u32le: integer(4, 0, 0xffffffff, (view, start, value) => view.setUint32(start, value, true)),
    i32: integer(4, -0x80000000, 0x7fffffff, (view, start, value) => view.setInt32(start, value)),
    f32: float(false),
    f32le: float(true),
    u48le: integer(6, 0, 0xffffffffffff, (view, start, value) => {
      view.setUint32(start, value % 2 ** 32, true)
      view.setUint16(start + 4, Math.floor(value / 2 ** 32), true)
    }),
    bytes: (bytes) => {
      const start = claimRoom(draft, bytes.length)
      draft.buffer.set(bytes, start)
      return writer
    },
    done: () => {
      const octets = draft.buffer.slice(0, claimRoom(draft, 0))
      draft.isOpen = false
      if (idleWriters.length < mostIdle && draft.buffer.length <= mostRoom) idleWriters.push(used)
      return octets
    },
  }
  const used: UsedWriter = {
    open: (what) => {
      draft.what = what
      draft.isOpen = true
      draft.length = 0
      return writer
    },
  }
  return used
}
