/** Dates that a person types. */

/** A day as the seconds of its beginning in UTC; other text goes as it is, and is refused at its field. */
export function parseSeconds(text: string): string {
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text) : Number.NaN
  return Number.isNaN(ms) ? text : String(Math.floor(ms / 1000))
}
