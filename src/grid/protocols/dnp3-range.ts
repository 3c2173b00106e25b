/** The qualifier of a DNP3 object's header, and the range of indices that two of its codes announce. */

import type { OctetReader } from '../link/octet-reader.ts'
import type { OctetWriter } from '../link/octet-writer.ts'

/** Qualifier codes: a range or indices, of one octet or of two (IEEE 1815). */
export const qualifierCodes = { range8: 0x00, range16: 0x01, index8: 0x17, index16: 0x28 } as const

/**
 * Appends the qualifier of a range with its first and last index.
 *
 * @throws GridError malformed_frame when an index does not fit.
 */
export function putRange(writer: OctetWriter, qualifier: 'range8' | 'range16', start: number, stop: number): void {
  writer.u8(qualifierCodes[qualifier], 'qualifier')
  if (qualifier === 'range8') writer.u8(start, 'start').u8(stop, 'stop')
  else writer.u16le(start, 'start').u16le(stop, 'stop')
}

/** Takes a range behind its qualifier; undefined for other qualifiers. Faults: `truncated`, `length`. */
export function takeRange(
  reader: OctetReader,
  qualifier: number,
): { readonly qualifier: 'range8' | 'range16'; readonly start: number; readonly stop: number } | undefined {
  if (qualifier !== qualifierCodes.range8 && qualifier !== qualifierCodes.range16) return undefined
  const isShort = qualifier === qualifierCodes.range8
  const start = isShort ? reader.u8('start') : reader.u16le('start')
  const stop = isShort ? reader.u8('stop') : reader.u16le('stop')
  if (stop < start) reader.fail('length', 'stop', `range runs from ${start} to ${stop}`)
  return { qualifier: isShort ? 'range8' : 'range16', start, stop }
}
