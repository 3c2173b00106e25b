/** The tables of records: chunks of them in rows, and counts of those that were deleted. */

import { type NewRecords, type RecordCounts, retention } from '#grid/records/records.ts'
import { decodeRecords } from '#grid/records/records-text.ts'
import type { Tables } from '../../base/tables.ts'
import type { RecordChunk } from './record-chunks.ts'

/** A row of the table of chunks that may be deleted, with the records in it. */
interface ForgottenChunk extends RecordCounts {
  readonly number: number
}

/** Opens the chunks of records. */
export function openRecordTables({ make, read, write }: Tables) {
  function forgetChunk({ number, incidents, frames }: ForgottenChunk): void {
    // Numbers continue from all records of the session: deleted ones still count.
    write(
      `INSERT INTO forgotten VALUES (1, ?, ?) ON CONFLICT (one)
       DO UPDATE SET incidents = incidents + excluded.incidents, frames = frames + excluded.frames`,
      incidents,
      frames,
    )
    write('DELETE FROM chunk WHERE number = ?', number)
  }

  return {
    /** Appends records in rows and removes the rows that retention no longer needs. */
    appendChunks(chunks: readonly RecordChunk[]): void {
      make()
      for (const { part, body } of chunks) {
        write(
          'INSERT INTO chunk (incidents, packets, frames, octets, body) VALUES (?, ?, ?, ?, ?)',
          part.incidents.length,
          part.packets.length,
          part.frames.length,
          part.frames.reduce((sum, frame) => sum + frame.bytes.length, 0),
          body,
        )
      }
      for (const chunk of findForgotten(read)) forgetChunk(chunk)
    },
    /** Counts the records that lay in deleted rows. */
    readForgotten(): RecordCounts {
      const [row] = read('SELECT incidents, frames FROM forgotten')
      return { incidents: Number(row?.incidents ?? 0), frames: Number(row?.frames ?? 0) }
    },
    *readChunks(): Generator<NewRecords> {
      for (const row of read<{ body: string }>('SELECT body FROM chunk ORDER BY number')) {
        yield decodeRecords(row.body)
      }
    },
  }
}

/** The chunks that retention no longer needs: of each kind of record that they hold, newer chunks hold enough. */
function findForgotten(read: Tables['read']): readonly ForgottenChunk[] {
  const newer = { incidents: 0, packets: 0, frames: 0, octets: 0 }
  const forgotten: ForgottenChunk[] = []
  const query = 'SELECT number, incidents, packets, frames, octets FROM chunk ORDER BY number DESC'
  for (const { number, incidents, packets, frames, octets } of read<ChunkRow>(query)) {
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

type ChunkRow = Record<'number' | 'incidents' | 'packets' | 'frames' | 'octets', number>
