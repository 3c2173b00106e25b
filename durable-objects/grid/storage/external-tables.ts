/** The tables of an outside simulator: its state, and the replies to its batches. */

import type { ExternalState } from '#grid/interface/external.ts'
import type { Tables } from '../../base/tables.ts'

/** Most batches of ingested packets whose replies are remembered. */
const rememberedBatches = 1_000

/** Opens the state and the replies. */
export function openExternalTables({ read, readBodies, write }: Tables) {
  return {
    readExternal(): ExternalState | undefined {
      return readBodies<ExternalState>('SELECT body FROM external')[0]
    },
    writeExternal(state: ExternalState): void {
      write('INSERT OR REPLACE INTO external VALUES (1, ?)', JSON.stringify(state))
    },
    readBatchReply(source: string, seq: number): string | undefined {
      const [row] = read<{ reply: string }>('SELECT reply FROM batch WHERE source = ? AND seq = ?', source, seq)
      return row?.reply
    },
    writeBatchReply(source: string, seq: number, reply: string): void {
      write('INSERT INTO batch VALUES (?, ?, ?)', source, seq, reply)
      write(
        'DELETE FROM batch WHERE rowid <= (SELECT rowid FROM batch ORDER BY rowid DESC LIMIT 1 OFFSET ?)',
        rememberedBatches,
      )
    },
  }
}
