/** Dates that a person types. */

/** A day, or a moment of one, as seconds: in UTC unless it has a zone. Other text goes as it is, and is refused at its field. */
export function parseSeconds(typed: string): string {
  const text = typed.trim()
  const [, day = '', clock = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](.+))?$/.exec(text) ?? []
  const ms = Date.parse(`${day}T${clock}${/(Z|[+-]\d\d:?\d\d)$/.test(clock) ? '' : 'Z'}`)
  // Browsers take the 30th of February for a day of March.
  const isDay = day !== '' && Number(day.slice(-2)) === new Date(`${day}T00:00Z`).getUTCDate()
  return isDay && !Number.isNaN(ms) ? String(Math.floor(ms / 1000)) : text
}
