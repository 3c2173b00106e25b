/** Incidents as comma-separated values, quoted for parsers and guarded against formulas. */

import type { IncidentRecord } from '../types.ts'
import { inTextChunks } from './chunk.ts'

/** The nine columns of the contract, in order. */
export const csvColumns = [
  'id',
  'timestamp_iso',
  'protocol',
  'src_ip',
  'dst_ip',
  'attack_type',
  'status',
  'severity',
  'description',
] as const

/** The further columns of `?columns=extended`. */
export const csvExtendedColumns = [
  'timestamp',
  'attack_id',
  'technique',
  'technique_legacy',
  'src_port',
  'dst_port',
  'frame_no',
] as const

/**
 * Yields incidents as CSV in chunks (RFC 4180): header row, CRLF line ends, UTF-8 without a mark. A text that begins
 * with `=`, `+`, `-`, `@`, tab or CR gets an apostrophe in front, because a spreadsheet would run it.
 */
export function encodeCsv(
  incidents: Iterable<IncidentRecord>,
  { isExtended = false }: { readonly isExtended?: boolean } = {},
): Generator<Uint8Array> {
  return inTextChunks(rows(incidents, isExtended))
}

function* rows(incidents: Iterable<IncidentRecord>, isExtended: boolean): Generator<string> {
  yield csvRow([...csvColumns, ...(isExtended ? csvExtendedColumns : [])])
  for (const incident of incidents) {
    const fields = csvColumns.map((column) => incident[column])
    yield csvRow(isExtended ? [...fields, ...extended(incident)] : fields)
  }
}

/** Writes one row as `encodeCsv` does; a value that is absent is an empty field. */
export function csvRow(fields: readonly unknown[]): string {
  return `${fields.map(toField).join(',')}\r\n`
}

/** Values in the order of `csvExtendedColumns`. */
function extended(incident: IncidentRecord): unknown[] {
  const { timestamp, attack_id, technique, src_port, dst_port, frame_no } = incident
  return [timestamp, attack_id, technique?.id, technique?.legacy_id, src_port, dst_port, frame_no]
}

function toField(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = String(value)
  const guarded = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
