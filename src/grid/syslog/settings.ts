/** Settings of the syslog output: the collector, the form of messages, and their selection. */

import { choice, type Reader, reader, variable } from '../../base/variables.ts'

/** The address of a collector. */
export interface CollectorAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** Reads `tcp://HOST:PORT` or `tls://HOST:PORT`; an IPv6 address is in brackets. Null for any other text. */
export function parseCollector(address: string): CollectorAddress | null {
  const match = /^(tcp|tls):\/\/(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+):(\d{1,5})\/?$/i.exec(address)
  const [, scheme = '', host = '', digits = ''] = match ?? []
  const port = Number(digits)
  if (match === null || port < 1 || port > 65_535) return null
  return { host: host.replace(/^\[|\]$/g, ''), port, tls: scheme.toLowerCase() === 'tls' }
}

/** The facilities of RFC 5424, table 1, by the names that collectors have for them; the place is the number. */
export const facilities = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv', 'ftp', 'ntp'],
  ...['audit', 'alert', 'clock', ...Array.from({ length: 8 }, (_, number) => `local${number}`)],
]

const address: Reader<CollectorAddress | null> = reader<CollectorAddress | null>(
  null,
  'tcp://HOST:PORT or tls://HOST:PORT',
  parseCollector,
)

const hostname = reader('sluice', 'at most 255 printable ASCII characters without blanks', (text) =>
  /^[!-~]{1,255}$/.test(text) ? text : null,
)

/** The variables of the syslog output. */
export const syslogVariables = {
  GRID_SYSLOG_ADDRESS: variable(address),
  GRID_SYSLOG_FORMAT: variable(choice('rfc5424', ['rfc5424', 'cef'])),
  GRID_SYSLOG_RECORDS: variable(choice('all', ['all', 'incidents', 'alarms'])),
  GRID_SYSLOG_FACILITY: variable(choice('local0', facilities)),
  GRID_SYSLOG_HOSTNAME: variable(hostname),
} as const
