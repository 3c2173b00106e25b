/** The table of the keys that came most: the sketches of each hour. */

import { encodeUtf8 } from '#base/utf8.ts'
import type { KeyLabel } from '#ratelimit/contract/usage.ts'
import type { SketchState } from '#ratelimit/usage/space-saving.ts'

/** The sketches of one hour, with what their keys mean. */
export interface HourTops {
  /** Unix time in seconds. */
  readonly hour: number
  readonly used: SketchState
  readonly refused: SketchState
  readonly labels: readonly (readonly [key: string, label: KeyLabel])[]
}

/** Opens the sketches of hours. */
export function topTable(sql: SqlStorage) {
  return {
    writeTops({ hour, ...tops }: HourTops): void {
      sql.exec('INSERT OR REPLACE INTO usage_tops VALUES (?, ?)', hour, topsText(tops))
    },
    /** The kept hours from one on, in order. */
    tops(fromHour: number): readonly HourTops[] {
      const rows = sql.exec<{ hour: number; tops: string }>(
        'SELECT * FROM usage_tops WHERE hour >= ? ORDER BY hour',
        fromHour,
      )
      // Written by `writeTops` only.
      return rows.toArray().map(({ hour, tops }) => ({ hour, ...(JSON.parse(tops) as Omit<HourTops, 'hour'>) }))
    },
    /** Forgets the hours before one, Unix time in seconds. */
    forgetTops(hour: number): void {
      sql.exec('DELETE FROM usage_tops WHERE hour < ?', hour)
    },
  }
}

/** Bytes of a row: the platform takes 2 MB. */
const mostRowBytes = 1_900_000

/** The sketches of an hour as one row; where texts are so long that it has no room for all keys, the first ones. */
function topsText(tops: Omit<HourTops, 'hour'>, most = Number.POSITIVE_INFINITY): string {
  const used = truncateSketch(tops.used, most)
  const refused = truncateSketch(tops.refused, most)
  const held = new Set([used, refused].flatMap((sketch) => sketch.entries.map(({ key }) => key)))
  const labels = tops.labels.filter(([key]) => held.has(key))
  const text = JSON.stringify({ used, refused, labels })
  if (encodeUtf8(text).length <= mostRowBytes) return text
  const longest = Math.max(used.entries.length, refused.entries.length)
  return topsText(tops, Math.floor(longest / 2))
}

/** A sketch that holds fewer keys; merged, the least of them counts for each that it has lost. */
function truncateSketch(sketch: SketchState, most: number): SketchState {
  if (sketch.entries.length <= most) return sketch
  const entries = sketch.entries.slice(0, most)
  return { ...sketch, entries, capacity: entries.length }
}
