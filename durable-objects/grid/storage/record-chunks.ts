/** Chunks of records: new records, cut into rows of bounded size. */

import type { Sliced } from '#base/slices.ts'
import type { NewRecords } from '#grid/records/records.ts'
import { encodeRecords } from '#grid/records/records-text.ts'

/** Most characters in one row, below the platform's 2 MB for a value even where some take two octets. */
export const rowCharacters = 900_000

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
