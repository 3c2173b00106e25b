/**
 * The Common Event Format: `CEF:0|vendor|product|version|event class|name|severity|key=value key=value`.
 *
 * @see https://www.microfocus.com/documentation/arcsight/arcsight-smartconnectors/pdfdoc/cef-implementation-standard/cef-implementation-standard.pdf
 */

import type { Severity } from '../types.ts'
import { cefKeys, type FactName, type Notice } from './notice.ts'
import { appendFitting, clip } from './text.ts'

/** Severities from 0 to 10: up to 3 is low, 6 medium, 8 high, 10 very high. */
const severities: Readonly<Record<Severity, number>> = { INFO: 1, LOW: 3, MEDIUM: 6, HIGH: 8, CRITICAL: 10 }

/** Writes a notice as CEF on one line of at most so many octets; extensions that do not fit are left out. */
export function formatCef(
  { kind, timestamp, severity, event, text, facts }: Notice,
  { version, hostname }: { readonly version: string; readonly hostname: string },
  octets: number,
): string {
  const names = [event, text].map((field) => escapeHeader(clip(field)))
  const header = `CEF:0|Sluice|Grid|${escapeHeader(version)}|${names.join('|')}|${severities[severity]}|`
  const extensions = [
    `rt=${Math.round(timestamp * 1000)}`,
    `dvchost=${escapeValue(hostname)}`,
    `cat=${kind}`,
    ...facts.map(([name, value]) => extension(name, clip(value))),
  ]
  const parts = extensions.map((one, at) => (at === 0 ? one : ` ${one}`))
  return appendFitting(header, parts, octets)
}

function extension(name: FactName, value: string): string {
  const key = findKey(name, value)
  const pair = `${key}=${escapeValue(value)}`
  // Custom fields such as cs1 and cn2 carry their name.
  return /^c[sn]\d$/.test(key) ? `${key}Label=${name} ${pair}` : pair
}

/** The key of a fact; MAC addresses, of frames without IP, have separate keys. */
function findKey(name: FactName, value: string): string {
  const isMac = /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(value)
  if (isMac && name === 'src') return 'smac'
  return isMac && name === 'dst' ? 'dmac' : cefKeys[name]
}

/** Escapes the characters that end a field of the header. */
function escapeHeader(text: string): string {
  return text.replace(/[\\|]/g, '\\$&')
}

/** Escapes the characters that end a value; `clip` has removed line ends. */
function escapeValue(text: string): string {
  return text.replace(/[\\=]/g, '\\$&')
}
