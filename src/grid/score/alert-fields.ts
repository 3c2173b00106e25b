/** Alerts from the rows of each detector: Suricata EVE, Zeek notices, and plain rows of CSV or JSON. */

import { isRecord } from '../../base/json.ts'
import { quote, type Row, wrong } from './alert-rows.ts'
import { readMoment } from './moment.ts'
import type { Alert } from './place.ts'

/** An alert without the line that it was read from. */
export type AlertFields = Omit<Alert, 'line'>

/**
 * Reads an `alert` event of Suricata's EVE, whose `pcap_cnt` is the number of the packet where a capture was read; null
 * for other events.
 *
 * @throws GridError invalid_request when the row has no time.
 */
export function readEve(row: Row, line: number): AlertFields | null {
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

/**
 * Reads a notice of Zeek.
 *
 * @throws GridError invalid_request when the row has no time.
 */
export function readZeek(row: Row, line: number): AlertFields {
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

/**
 * Reads a row of CSV or JSON lines; of the simulation's own alarms `timestamp` and `detector` are `time` and `name`.
 *
 * @throws GridError invalid_request when the row has no time, or a score that is not a number.
 */
export function readPlain(row: Row, line: number): AlertFields {
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
