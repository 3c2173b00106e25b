/** Alerts as detectors write them: Suricata EVE, Zeek notices, CSV and JSON lines. */

import type { Sliced } from '../../base/slices.ts'
import { GridError } from '../errors.ts'
import { type AlertFields, readEve, readPlain, readZeek } from './alert-fields.ts'
import { openCsvRows, openZeekRows, type Row, type RowReader, readJsonRow } from './alert-rows.ts'
import type { Alert } from './place.ts'

/** The formats by the name that a request gives. */
export const alertFormats = ['eve', 'zeek', 'csv', 'jsonl'] as const

/** Name of a format. */
export type AlertFormat = (typeof alertFormats)[number]

/** Bounds of one scoring. */
export const alertBounds = {
  /** Octets of the text. */
  bytes: 8_388_608,
  alerts: 50_000,
} as const

/** Lines after which the reading yields, so that others run. */
const sliceLines = 500

/**
 * Reads alerts; a format of null is found by the first line. Empty lines and other events of EVE are passed over.
 *
 * @throws GridError invalid_request when a line cannot be read; the message has its number.
 * @throws GridError request_too_large when there are more than `alertBounds.alerts`.
 */
export function* readAlerts(text: string, format: AlertFormat | null): Sliced<readonly Alert[]> {
  // Some systems begin a file with a byte order mark.
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const kind = format ?? findFormat(lines.find((line) => line.trim() !== '') ?? '')
  const { openRows, readFields } = readers[kind]
  const readRow = openRows()
  const alerts: Alert[] = []
  for (const [index, written] of lines.entries()) {
    if (index % sliceLines === sliceLines - 1) yield
    if (written.trim() === '') continue
    const line = index + 1
    const row = readRow(written, line)
    const fields = row === null ? null : readFields(row, line)
    if (fields === null) continue
    if (alerts.length === alertBounds.alerts) throw tooMany()
    alerts.push({ line, ...fields })
  }
  return alerts
}

function findFormat(first: string): AlertFormat {
  if (first.startsWith('#')) return 'zeek'
  if (!first.trimStart().startsWith('{')) return 'csv'
  const row = readJsonRow(first, 1)
  if ('event_type' in row) return 'eve'
  return 'note' in row && 'ts' in row ? 'zeek' : 'jsonl'
}

/** The reading of a format: from lines to rows, and from a row to an alert, or null. */
interface AlertReader {
  readonly openRows: () => RowReader
  readonly readFields: (row: Row, line: number) => AlertFields | null
}

const readers: Readonly<Record<AlertFormat, AlertReader>> = {
  eve: { openRows: () => readJsonRow, readFields: readEve },
  zeek: { openRows: openZeekRows, readFields: readZeek },
  csv: { openRows: openCsvRows, readFields: readPlain },
  jsonl: { openRows: () => readJsonRow, readFields: readPlain },
}

function tooMany(): GridError {
  return new GridError('request_too_large', `Cannot score: there are more than ${alertBounds.alerts} alerts`, {
    hint: 'Score a part of the run, or raise the threshold of the detector',
  })
}
