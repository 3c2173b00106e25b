/** Chunks of records: how new records are cut into rows of bounded size, and which rows retention no longer needs. */

import type { Sliced } from '#base/slices.ts'
import { type NewRecords, type RecordCounts, retention } from '#grid/records/records.ts'
import { encodeRecords } from '#grid/records/records-text.ts'

/** Most characters in one row, below the platform's 2 MB for a value even where some take two octets. */
export const rowCharacters = 900_000

/** The chunks that retention no longer needs: of each kind of record that they hold, newer chunks hold enough. */
export function findForgotten(sql: SqlStorage): readonly (RecordCounts & { readonly number: number })[] {
  const rows = sql.exec('SELECT number, incidents, packets, frames, octets FROM chunk ORDER BY number DESC')
  const newer = { incidents: 0, packets: 0, frames: 0, octets: 0 }
  const forgotten: (RecordCounts & { readonly number: number })[] = []
  for (const row of rows) {
    const [number, incidents, packets] = [Number(row.number), Number(row.incidents), Number(row.packets)]
    const [frames, octets] = [Number(row.frames), Number(row.octets)]
    const isNeeded =
      (incidents > 0 && newer.incidents < retention.incidents) ||
      (packets > 0 && newer.packets < retention.packets) ||
      (frames > 0 && newer.frames < retention.frames && newer.octets < retention.frameBytes)
    if (!isNeeded) forgotten.push({ number, incidents, frames })
    newer.incidents += incidents
    newer.packets += packets
    newer.frames += frames
    newer.octets += octets
  }
  return forgotten
}

/** Records as a row of the table. */
export interface RecordChunk {
  readonly part: NewRecords
  readonly body: string
}

/** Records beyond which a part hardly fits a row, and is halved before it is written out. */
const mostRecords = 800

/** Halves records until each part fits a row; one record always does, because its parts are bounded on the way in. */
export function* splitRecords(records: NewRecords): Sliced<readonly RecordChunk[]> {
  const longest = Math.max(records.incidents.length, records.packets.length, records.frames.length)
  if (longest === 0) return []
  if (longest <= mostRecords) {
    const body = encodeRecords(records)
    yield
    if (body.length <= rowCharacters || longest === 1) return [{ part: records, body }]
  }
  const half = Math.ceil(longest / 2)
  const take = (from: number, to?: number): NewRecords => ({
    incidents: records.incidents.slice(from, to),
    packets: records.packets.slice(from, to),
    frames: records.frames.slice(from, to),
  })
  return [...(yield* splitRecords(take(0, half))), ...(yield* splitRecords(take(half)))]
}
