/** Records as lines of a text, for a bulk insertion. */

import { parseSeconds } from './dates.ts'

/** A record as the gateway takes it. */
export interface Input {
  readonly date: string
  readonly value: string
}

/** Most records of one job, as the gateway has it. */
export const mostRecords = 25_000

/** A sentence about a value of which the network would keep less than is written; undefined for any other. */
export function findRounding(value: string): string | undefined {
  const places = /\.(\d*?)0*$/.exec(value.trim())?.[1]?.length ?? 0
  return places > 18 ? `has ${places} decimal places, expected 18 at most: the network would round it` : undefined
}

/** Reads a date and a value a line, with a comma, a semicolon, a tab or blanks between; empty lines are left out. */
export function parseLines(text: string): readonly Input[] | { readonly mistake: string } {
  const lines = text.split('\n').map((line) => line.trim())
  const records: Input[] = []
  for (const [at, line] of lines.entries()) {
    if (line === '') continue
    const [date = '', value = '', more] = line.split(/\s*[,;\t]\s*|\s+/)
    const seconds = parseSeconds(date)
    if (more !== undefined || !/^\d+$/.test(seconds) || !/^-?\d+(\.\d+)?$/.test(value))
      return {
        mistake: `line ${at + 1} is "${line.slice(0, 40)}", expected a date and a value such as 2026-04-20, 3.45`,
      }
    const rounding = findRounding(value)
    if (rounding !== undefined) return { mistake: `line ${at + 1}: the value ${rounding}` }
    records.push({ date: seconds, value })
  }
  if (records.length > mostRecords) return { mistake: `${records.length} records, expected ${mostRecords} at most` }
  return records
}
