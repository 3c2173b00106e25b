/** The store of a SimulationObject: the tables of one session, and the tickets of its event streams. */

import { openTables, type Tables } from '../../base/tables.ts'
import { openExternalTables } from './external-tables.ts'
import { rowCharacters } from './record-chunks.ts'
import { openRecordTables } from './record-tables.ts'
import { openLogTables, openScenarioTables, openSessionTable } from './session-tables.ts'

const migrations = [
  `CREATE TABLE session (
    one INTEGER PRIMARY KEY CHECK (one = 1), session_id TEXT NOT NULL, created_ms INTEGER NOT NULL,
    configuration TEXT NOT NULL, run TEXT NOT NULL, step INTEGER NOT NULL, anchor_ms INTEGER NOT NULL,
    anchor_step INTEGER NOT NULL, speed REAL NOT NULL, active_ms INTEGER NOT NULL
  );
  CREATE TABLE command (number INTEGER PRIMARY KEY, step INTEGER NOT NULL, body TEXT NOT NULL);
  CREATE TABLE world (
    part INTEGER PRIMARY KEY, step INTEGER NOT NULL, format INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE chunk (
    number INTEGER PRIMARY KEY, incidents INTEGER NOT NULL, packets INTEGER NOT NULL, frames INTEGER NOT NULL,
    octets INTEGER NOT NULL, body TEXT NOT NULL
  );
  CREATE TABLE forgotten (
    one INTEGER PRIMARY KEY CHECK (one = 1), incidents INTEGER NOT NULL, frames INTEGER NOT NULL
  );
  CREATE TABLE scenario (one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL);
  CREATE TABLE external (one INTEGER PRIMARY KEY CHECK (one = 1), body TEXT NOT NULL);
  CREATE TABLE batch (source TEXT NOT NULL, seq INTEGER NOT NULL, reply TEXT NOT NULL, PRIMARY KEY (source, seq));
  CREATE TABLE ticket (hash TEXT PRIMARY KEY, expires_ms INTEGER NOT NULL)`,
  'CREATE TABLE field (number INTEGER PRIMARY KEY, step INTEGER NOT NULL, body TEXT NOT NULL)',
  'CREATE TABLE answers (name TEXT PRIMARY KEY, body TEXT NOT NULL)',
]

/** The tables of one session: all but the tickets. */
const sessionTables = 'session command field world chunk forgotten scenario answers external batch'.split(' ')

/** Reads and writes the tables; everything is synchronous, and the output gate makes answers wait for the disk. */
export type SimulationStore = ReturnType<typeof openSimulationStore>

/** Opens the tables of an object. */
export function openSimulationStore(storage: DurableObjectStorage) {
  const tables = openTables(storage, migrations)
  return {
    ...openSessionTable(tables),
    ...openLogTables(tables),
    ...openWorldTable(tables),
    ...openRecordTables(tables),
    ...openScenarioTables(tables),
    ...openExternalTables(tables),
    ...openTicketTable(tables),
    together<T>(change: () => T): T {
      // Before the transaction: a rollback would remove tables that count as made.
      tables.make()
      return storage.transactionSync(change)
    },
    /** Deletes the session and all its records; tickets stay valid. */
    clear(): void {
      for (const table of sessionTables) tables.write(`DELETE FROM ${table}`)
    },
    /** Deletes everything, tickets and tables included. */
    destroy: tables.destroy,
  }
}

/** A stored world: its text, the number of its form, and the step that it had reached. */
interface Snapshot {
  readonly step: number
  readonly format: number
  readonly world: string
}

/** Opens the table of the newest snapshot of a world. */
function openWorldTable({ read, write }: Tables) {
  return {
    readSnapshot(): Snapshot | undefined {
      const parts = [...read('SELECT step, format, body FROM world ORDER BY part')]
      const [first] = parts
      if (first === undefined) return undefined
      const world = parts.map(({ body }) => String(body)).join('')
      return { step: Number(first.step), format: Number(first.format), world }
    },
    /** Replaces the snapshot; a world that holds long replays takes more than one row. */
    writeSnapshot({ step, format, world }: Snapshot): void {
      const parts = Math.ceil(world.length / rowCharacters)
      for (let part = 0; part < parts; part++) {
        const text = world.slice(part * rowCharacters, (part + 1) * rowCharacters)
        write('INSERT OR REPLACE INTO world VALUES (?, ?, ?, ?)', part, step, format, text)
      }
      write('DELETE FROM world WHERE part >= ?', parts)
    },
  }
}

/** Opens the tickets for event streams, by their hashes. */
function openTicketTable({ read, write }: Tables) {
  return {
    writeTicket(hash: string, expiresMs: number): void {
      write('INSERT INTO ticket VALUES (?, ?)', hash, expiresMs)
    },
    /** Removes a ticket; false when it is unknown or has expired. */
    takeTicket(hash: string, nowMs: number): boolean {
      const [ticket] = read('DELETE FROM ticket WHERE hash = ? RETURNING expires_ms', hash)
      return ticket !== undefined && Number(ticket.expires_ms) >= nowMs
    },
    /** Removes the tickets that have expired, and counts those that may still be used. */
    countTickets(nowMs: number): number {
      write('DELETE FROM ticket WHERE expires_ms < ?', nowMs)
      return [...read('SELECT hash FROM ticket')].length
    },
  }
}
