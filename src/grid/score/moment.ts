/** Reads moments in the forms that detectors write. */

/** Such as `2026-11-24T16:00:00.000700Z` or `2026-11-24 17:00:00+0100`. */
const isoForm = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,20}))?(Z|[+-]\d\d:?\d\d)?$/

/** Reads Unix seconds, or a moment of ISO 8601, UTC without an offset, as integer microseconds; otherwise null. */
export function readMoment(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return null
  if (/^\d{1,11}(\.\d{1,20})?$/.test(text)) return Math.round(Number(text) * 1e6)
  const [, date, time, fraction = '', zone = 'Z'] = isoForm.exec(text) ?? []
  if (date === undefined || time === undefined) return null
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  const seconds = Date.parse(`${date}T${time}${offset}`) / 1000
  return Number.isNaN(seconds) ? null : seconds * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6))
}
