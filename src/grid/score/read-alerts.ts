/** Alerts as detectors write them: Suricata EVE, Zeek notices, CSV and JSON lines. */

import { isRecord, parseJson } from '../../base/json.ts'
import { suggest } from '../../base/nearest.ts'
import type { Sliced } from '../../base/slices.ts'
import { GridError } from '../errors.ts'
import { readMoment } from './moment.ts'
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

/** A line as fields: of JSON its members, of a table its columns. */
type Row = Readonly<Record<string, unknown>>

type AlertFields = Omit<Alert, 'line'>

/**
 * Reads alerts; a format of null is found by the first line. Empty lines and other events of EVE are passed over.
 *
 * @throws GridError invalid_request when a line cannot be read; the message has its number.
 * @throws GridError request_too_large when there are more than `alertBounds.alerts`.
 */
export function* readAlerts(text: string, format: AlertFormat | null): Sliced<readonly Alert[]> {
  const lines = text.split(/\r?\n/)
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

function readJsonRow(written: string, line: number): Row {
  const value = parseJson(written)
  if (isRecord(value)) return value
  const expected = value === undefined ? 'one JSON object a line' : 'a JSON object'
  throw wrong(line, `it is ${quote(written)}, expected ${expected}`)
}

/** Makes a function that reads the rows of a table by the names of the columns in its first line. */
function openTable(
  split: (line: string) => readonly string[],
  testColumns: (columns: readonly string[], line: number) => void,
) {
  let columns: readonly string[] | null = null
  return (written: string, line: number): Row | null => {
    const cells = split(written)
    if (columns === null) {
      columns = cells.map((cell) => cell.trim().toLowerCase())
      testColumns(columns, line)
      return null
    }
    if (cells.length === columns.length) return Object.fromEntries(columns.map((column, at) => [column, cells[at]]))
    throw wrong(line, `it has ${cells.length} columns, expected the ${columns.length} of its first line`)
  }
}

/** Zeek writes JSON or tables with tabs, whose columns are in the line `#fields`. */
function openZeekRows() {
  const readTable = openTable(
    (line) => line.split('\t'),
    () => {},
  )
  let hasColumns = false
  return (written: string, line: number): Row | null => {
    if (written.startsWith('{')) return readJsonRow(written, line)
    if (written.startsWith('#fields\t')) {
      hasColumns = true
      return readTable(written.slice('#fields\t'.length), line)
    }
    if (written.startsWith('#')) return null
    if (!hasColumns) throw wrong(line, 'a table of Zeek has no line "#fields" before its rows')
    const row = readTable(written, line)
    const isSet = ([, cell]: [string, unknown]) => cell !== '-' && cell !== '(empty)'
    return row === null ? null : Object.fromEntries(Object.entries(row).filter(isSet))
  }
}

/** The cells of a line such as `1.5,"a ""b"", c",` (RFC 4180); a quoted cell holds no line break. */
function splitCsv(line: string): readonly string[] {
  const cells: string[] = []
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
  }
  return cells
}

const tableColumns = ['time', 'frame', 'source', 'target', 'name', 'technique', 'score'] as const

function assertColumns(columns: readonly string[], line: number): void {
  const unknown = columns.find((column) => !tableColumns.some((known) => known === column))
  const expected = `expected time and any of ${tableColumns.slice(1).join(', ')}`
  if (unknown !== undefined) {
    throw wrong(line, `there is a column ${quote(unknown)}, ${suggest(unknown, tableColumns, expected)}`)
  }
  if (!columns.includes('time')) throw wrong(line, `there is no column "time", ${expected}`)
}

/** The reading of a format: from lines to rows, null for a line without one, and from a row to an alert. */
interface AlertReader {
  readonly openRows: () => (written: string, line: number) => Row | null
  readonly readFields: (row: Row, line: number) => AlertFields | null
}

const readers: Readonly<Record<AlertFormat, AlertReader>> = {
  eve: { openRows: () => readJsonRow, readFields: readEve },
  zeek: { openRows: openZeekRows, readFields: readZeek },
  csv: { openRows: () => openTable(splitCsv, assertColumns), readFields: readPlain },
  jsonl: { openRows: () => readJsonRow, readFields: readPlain },
}

/** `alert` events of Suricata's EVE; `pcap_cnt` is the number of the packet where a capture was read. */
function readEve(row: Row, line: number): AlertFields | null {
  if (row.event_type !== 'alert') return null
  const alert = isRecord(row.alert) ? row.alert : {}
  const metadata = isRecord(alert.metadata) ? alert.metadata : {}
  const techniques = metadata.mitre_technique_id ?? metadata.mitre_attack_technique
  const severity = typeof alert.severity === 'number' ? alert.severity : null
  return {
    timeUs: requireMoment(row.timestamp, 'timestamp', line),
    frame: readFrame(row.pcap_cnt),
    source: joinEnd(row.src_ip, row.src_port),
    target: joinEnd(row.dest_ip, row.dest_port),
    name: readName(alert.signature) ?? `signature ${String(alert.signature_id ?? '')}`,
    technique: readTechnique(Array.isArray(techniques) ? techniques[0] : techniques),
    // Severity 1 is the most severe.
    score: severity === null ? null : -severity,
  }
}

function readZeek(row: Row, line: number): AlertFields {
  return {
    timeUs: requireMoment(row.ts, 'ts', line),
    frame: null,
    source: joinEnd(row['id.orig_h'] ?? row.src, row['id.orig_p']),
    target: joinEnd(row['id.resp_h'] ?? row.dst, row['id.resp_p'] ?? row.p),
    name: readName(row.note) ?? 'notice',
    technique: null,
    score: null,
  }
}

/** CSV and JSON lines; of the simulation's own alarms `timestamp` and `detector` are `time` and `name`. */
function readPlain(row: Row, line: number): AlertFields {
  const name = row.time === undefined ? 'timestamp' : 'time'
  return {
    timeUs: requireMoment(row[name], name, line),
    frame: readFrame(row.frame),
    source: readName(row.source),
    target: readName(row.target),
    name: readName(row.name) ?? readName(row.detector) ?? 'alert',
    technique: readTechnique(row.technique),
    score: readScore(row.score, line),
  }
}

function requireMoment(value: unknown, member: string, line: number): number {
  const timeUs = readMoment(value)
  if (timeUs !== null) return timeUs
  const state = value === undefined ? `it has no ${member}` : `${member} is ${quote(value)}`
  throw wrong(line, `${state}, expected Unix seconds or a date and time such as 2026-11-24T16:00:00.000700Z`)
}

function readFrame(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null
}

function readScore(value: unknown, line: number): number | null {
  if (value === undefined || value === null || value === '') return null
  const score = typeof value === 'string' ? Number(value) : value
  if (typeof score === 'number' && Number.isFinite(score)) return score
  throw wrong(line, `score is ${quote(value)}, expected a number`)
}

function readName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function readTechnique(value: unknown): string | null {
  return typeof value === 'string' ? (/T\d{4}(?:\.\d{3})?/.exec(value.toUpperCase())?.[0] ?? null) : null
}

function joinEnd(address: unknown, port: unknown): string | null {
  if (typeof address !== 'string' || address === '') return null
  const isPort = typeof port === 'number' || (typeof port === 'string' && /^\d+$/.test(port))
  return isPort && String(port) !== '0' ? `${address}:${port}` : address
}

function quote(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 60) ?? 'missing'
}

function wrong(line: number, state: string): GridError {
  return new GridError('invalid_request', `Cannot read alerts: line ${line}: ${state}`)
}

function tooMany(): GridError {
  return new GridError('request_too_large', `Cannot score: there are more than ${alertBounds.alerts} alerts`, {
    hint: 'Score a part of the run, or raise the threshold of the detector',
  })
}
