/** Log lines in the two forms that log collectors read: `key=value` text, and one JSON object per line. */

/** Severity of a line, by the names of logrus. */
export type LogLevel = 'panic' | 'fatal' | 'error' | 'warning' | 'info' | 'debug' | 'trace'

/** Every level, the gravest first. */
const logLevels: readonly LogLevel[] = ['panic', 'fatal', 'error', 'warning', 'info', 'debug', 'trace']

/** Content of one line. */
export interface LogEntry {
  readonly timeMs: number
  readonly level: LogLevel
  readonly message: string
  /** Further facts, by name. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>
}

/** Tells whether a line of a level is written when lines up to `threshold` are. */
export function isLogged(level: LogLevel, threshold: LogLevel): boolean {
  return logLevels.indexOf(level) <= logLevels.indexOf(threshold)
}

/**
 * Writes a line as text: `time="2026-11-20T10:00:00Z" level=info msg="what happened" name=value`. Values with other
 * characters than letters, digits and `-._/@^+` are quoted as JSON, so that an entry is always one line.
 *
 * @see https://github.com/sirupsen/logrus TextFormatter
 */
export function logText({ timeMs, level, message, fields = {} }: LogEntry): string {
  const time = new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z')
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${quoted(String(value))}`)
  return `time="${time}" level=${level} msg=${quoted(message)}${pairs.join('')}`
}

/** Writes a line as a JSON object with `@timestamp` (RFC 3339), `@message`, `level` and the fields. */
export function logJson({ timeMs, level, message, fields = {} }: LogEntry): string {
  const time = new Date(timeMs).toISOString()
  return JSON.stringify({ ...fields, '@message': message, '@timestamp': time, level })
}

function quoted(value: string): string {
  return /^[\w\-./@^+]+$/.test(value) ? value : JSON.stringify(value)
}
