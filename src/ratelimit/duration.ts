/** Durations in Go's notation, as every time setting is written: `300ms`, `-1.5h`, `2h45m`. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** The longest duration Go can hold: 2^63 - 1 nanoseconds, in milliseconds. */
const longestMs = 9_223_372_036_854.775

/**
 * Reads a Go duration.
 *
 * @returns milliseconds, possibly with a fraction; null when the text is not a duration (`10`, `1d`, empty, or
 * beyond 2^63 - 1 nanoseconds).
 * @see https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): number | null {
  const sign = text.startsWith('-') ? -1 : 1
  const body = /^[+-]/.test(text) ? text.slice(1) : text
  if (body === '0') return 0
  let total = 0
  let position = 0
  while (position < body.length) {
    part.lastIndex = position
    const [whole, amount, unit] = part.exec(body) ?? []
    if (whole === undefined || amount === undefined || unit === undefined) return null
    total += Number(amount) * (unitMs[unit] ?? Number.NaN)
    position += whole.length
  }
  return body === '' || total > longestMs ? null : sign * total + 0
}
