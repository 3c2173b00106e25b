/** The table of keyed writes: what was signed for an idempotency key, and its outcome. */

import type { Outcome } from '#gateway/outcome.ts'
import type { TransactionJson } from '#streamnet/rpc/methods.ts'

/** A transaction that was signed and perhaps sent; its hash is known, so that it can be asked for. */
export interface Sending {
  readonly hash: string
  readonly transaction: TransactionJson
}

/** A write that carries an idempotency key. */
export interface KeyedWrite {
  readonly fingerprint: string
  /** The transaction that was signed last; null before the first. */
  readonly sending: Sending | null
  /** Null until the write has come to an end that stays. */
  readonly outcome: Outcome | null
}

type WriteRow = { fingerprint: string; sending: string | null; outcome: string | null }

/** Reads and writes the keyed writes. */
export function openWriteTable(sql: SqlStorage) {
  return {
    /** The write of a key; undefined when the key is new or was forgotten. */
    findWrite(key: string): KeyedWrite | undefined {
      const [row] = sql.exec<WriteRow>('SELECT fingerprint, sending, outcome FROM writes WHERE key = ?', key).toArray()
      return row && { fingerprint: row.fingerprint, sending: read(row.sending), outcome: read(row.outcome) }
    },
    /** Keeps a key before anything is signed. `at` is Unix time in milliseconds. */
    addWrite(key: string, fingerprint: string, at: number): void {
      sql.exec('INSERT INTO writes (key, fingerprint, at) VALUES (?, ?, ?)', key, fingerprint, at)
    },
    /** Keeps what was signed, before it is sent. */
    noteSending(key: string, sending: Sending): void {
      sql.exec('UPDATE writes SET sending = ? WHERE key = ?', JSON.stringify(sending), key)
    },
    /** Keeps the outcome that every later request with the key gets. */
    endWrite(key: string, outcome: Outcome): void {
      sql.exec('UPDATE writes SET outcome = ?, sending = NULL WHERE key = ?', JSON.stringify(outcome), key)
    },
    /** Forgets a key whose write sent nothing, so that it can be used again. */
    removeWrite(key: string): void {
      sql.exec('DELETE FROM writes WHERE key = ?', key)
    },
    /** Forgets writes from before a Unix time in milliseconds. Returns how many are left. */
    expireWrites(before: number): number {
      sql.exec('DELETE FROM writes WHERE at < ?', before)
      return Number(sql.exec<{ n: number }>('SELECT count(*) AS n FROM writes').one().n)
    },
  }
}

function read<T>(text: string | null): T | null {
  return text === null ? null : JSON.parse(text)
}
