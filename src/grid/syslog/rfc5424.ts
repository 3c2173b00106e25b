/** Syslog messages for a stream: the format of RFC 5424, framed by octet counting (RFC 6587 section 3.4.1). */

import { concatBytes } from '../../base/bytes.ts'
import { encodeUtf8 } from '../../base/utf8.ts'
import { toIsoTime } from '../records/incident.ts'
import type { Severity } from '../types.ts'
import { formatCef } from './cef.ts'
import type { Notice } from './notice.ts'
import { appendFitting, clip, cutTo, onOneLine, toPrintable } from './text.ts'

/** Most octets of a message without its length: what RFC 5425 asks every receiver to take. */
export const maximumOctets = 2048

/** Octets that structured data leaves for the text. */
const textOctets = 512

/** The enterprise number that RFC 5612 reserves for documentation: the project has none. */
const enterprise = 32473

/** The sender, as every message names it. */
export interface SyslogOrigin {
  /** 0 to 23, RFC 5424, table 1. */
  readonly facility: number
  readonly format: 'rfc5424' | 'cef'
  /** Printable ASCII, at most 255 characters. */
  readonly hostname: string
  readonly version: string
  /** The session: what a collector groups messages by. */
  readonly session: string
}

/** Severities of RFC 5424, table 2: critical, error, warning, notice, informational. */
const severities: Readonly<Record<Severity, number>> = { CRITICAL: 2, HIGH: 3, MEDIUM: 4, LOW: 5, INFO: 6 }

const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf)

/** Writes a notice as one framed message, the last facts left out if need be; a gap in `sequence` is a loss. */
export function formatSyslog(notice: Notice, sequence: number, origin: SyslogOrigin): Uint8Array {
  const header = encodeUtf8(formatHeader(notice, origin))
  const room = maximumOctets - header.length
  // CEF has no byte-order mark: its readers look for `CEF:` at the beginning.
  const body =
    origin.format === 'cef'
      ? encodeUtf8(`- ${formatCef(notice, origin, room - 2)}`)
      : plainBody(notice, sequence, origin, room)
  const length = header.length + body.length
  return concatBytes(encodeUtf8(`${length} `), header, body)
}

function formatHeader({ kind, severity, timestamp }: Notice, origin: SyslogOrigin): string {
  const priority = origin.facility * 8 + severities[severity]
  const process = toPrintable(origin.session, 128)
  return `<${priority}>1 ${formatTime(timestamp)} ${origin.hostname} sluice-grid ${process} ${kind} `
}

/** RFC 3339 with microseconds; `-`, the value for nothing, outside of the four-digit years. */
function formatTime(timestamp: number): string {
  const isWritable = timestamp >= 0 && timestamp < 253_402_300_800
  return isWritable ? toIsoTime(Math.round(timestamp * 1e6)).replace('+00:00', 'Z') : '-'
}

function plainBody(notice: Notice, sequence: number, origin: SyslogOrigin, room: number): Uint8Array {
  const data = encodeUtf8(`${structuredData(notice, sequence, origin, room - textOctets)} `)
  const text = cutTo(onOneLine(notice.text), room - data.length - byteOrderMark.length)
  return concatBytes(data, byteOrderMark, text)
}

/** Elements `meta` and `origin` of RFC 5424, section 7, and one with the facts. */
function structuredData({ kind, severity, facts }: Notice, sequence: number, { version }: SyslogOrigin, room: number) {
  // The sequence starts again at 1 after 2147483647, section 7.3.1.
  const meta = `[meta sequenceId="${((sequence - 1) % 2_147_483_647) + 1}"]`
  const origin = `[origin software="sluice-grid" swVersion="${escapeValue(version)}"]`
  const head = `${meta}${origin}[${kind}@${enterprise} severity="${severity}"`
  const parts = facts.map(([name, value]) => ` ${name}="${escapeValue(clip(value))}"`)
  return `${appendFitting(head, parts, room - 1)}]`
}

/** Escapes the three characters of section 6.3.3. */
function escapeValue(text: string): string {
  return text.replace(/["\\\]]/g, '\\$&')
}
