/** The tables of the parts of a job: the records of its chunks, and the hashes of the transactions that were sent. */

import type { BulkRow } from '#streamnet/bulk/job.ts'

/** A record as its column has it: JSON has no whole numbers of 64 bits, so that long dates are text. */
type StoredRow = Omit<BulkRow, 'date'> & { readonly date: number | string }

/** The chunks and hashes of jobs. */
export type JobParts = ReturnType<typeof openJobParts>

/** Reads and writes the parts; a job is named by its number. */
export function openJobParts(sql: SqlStorage) {
  return {
    writeChunks(job: number, chunks: readonly (readonly BulkRow[])[]): void {
      chunks.forEach((rows, chunk) => {
        const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
        sql.exec('INSERT INTO chunks (job, chunk, rows) VALUES (?, ?, ?)', job, chunk, text)
      })
    },
    /** The records of a chunk; none when the job has ended and they are gone. */
    chunk(job: number, chunk: number): readonly BulkRow[] {
      const [row] = sql
        .exec<{ rows: string }>('SELECT rows FROM chunks WHERE job = ? AND chunk = ?', job, chunk)
        .toArray()
      const rows: readonly StoredRow[] = row ? JSON.parse(row.rows) : []
      return rows.map((record) => ({
        ...record,
        date: typeof record.date === 'string' ? BigInt(record.date) : record.date,
      }))
    },
    removeChunks(job: number): void {
      sql.exec('DELETE FROM chunks WHERE job = ?', job)
    },
    /** Writes the hashes from number `known` on. */
    writeHashes(job: number, hashes: readonly string[], known: number): void {
      hashes.slice(known).forEach((hash, index) => {
        sql.exec('INSERT OR REPLACE INTO hashes (job, chunk, hash) VALUES (?, ?, ?)', job, known + index, hash)
      })
    },
    /** Hashes of a job's transactions in the order of its chunks; all of them when no limit is given. */
    hashes(job: number, offset = 0, limit = -1): readonly string[] {
      return sql
        .exec<{ hash: string }>(
          'SELECT hash FROM hashes WHERE job = ? ORDER BY chunk LIMIT ? OFFSET ?',
          job,
          limit,
          offset,
        )
        .toArray()
        .map(({ hash }) => hash)
    },
    /** Removes the hashes of the chunks from number `chunk` on. */
    removeHashes(job: number, chunk = 0): void {
      sql.exec('DELETE FROM hashes WHERE job = ? AND chunk >= ?', job, chunk)
    },
  }
}
