/** The tables of a SimulationObject: the session, its commands, its newest snapshot, its records in chunks. */

import type { Command, Configuration, FieldEntry } from '#grid/configuration.ts'
import type { HandedIn } from '#grid/contract/scenario.ts'
import type { RunState, SessionFacts } from '#grid/interface/session-view.ts'
import type { NewRecords, RecordCounts } from '#grid/records/records.ts'
import { decodeRecords } from '#grid/records/records-text.ts'
import { openTables } from '../../base/tables.ts'
import { findForgotten, type RecordChunk, rowCharacters } from './record-chunks.ts'

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

/** A stored world: its text, the number of its form, and the step that it had reached. */
export interface Snapshot {
  readonly step: number
  readonly format: number
  readonly world: string
}

/** The one row of a session. */
export interface SessionRow extends SessionFacts {
  /** The step that the engine may have reached; written before it gets there. */
  readonly step: number
  /** The last moment of a listener or a request, in Unix milliseconds. */
  readonly activeMs: number
}

/** Most orders of one session, each a row; ends of attacks and settings of the clock do not count. */
export const maximumCommands = 10_000

/** Commands beyond which the clock is not started by hand any more, so that starts and stops do not grow the log. */
export const maximumStarts = 100_000

/** Most entries of masters from outside in one session: some four hours of polls of 14 stations every two seconds. */
export const maximumField = 200_000

/** Most batches of ingested packets whose replies are remembered. */
const rememberedBatches = 1_000

/** Reads and writes the tables; everything is synchronous, and the output gate makes answers wait for the disk. */
export type SimulationStore = ReturnType<typeof openSimulationStore>

/** Opens the tables of an object. */
export function openSimulationStore(storage: DurableObjectStorage) {
  const { make, read, write, destroy } = openTables(storage, migrations)

  /** Reads a column of JSON; only the writer beside it writes the column. */
  function readAll<Body>(query: string, ...values: number[]): Body[] {
    return [...read<{ body: string }>(query, ...values)].map(({ body }) => JSON.parse(body))
  }

  return {
    /** Deletes everything, tickets and tables included. */
    destroy,
    together<T>(change: () => T): T {
      // Before the transaction: a rollback would remove tables that count as made.
      make()
      return storage.transactionSync(change)
    },
    readSession(): SessionRow | undefined {
      const [row] = read('SELECT * FROM session')
      if (row === undefined) return undefined
      return {
        sessionId: String(row.session_id),
        createdMs: Number(row.created_ms),
        configuration: JSON.parse(String(row.configuration)) as Configuration, // only writeSession writes it
        run: String(row.run) as RunState, // only writeSession writes it
        step: Number(row.step),
        anchorMs: Number(row.anchor_ms),
        anchorStep: Number(row.anchor_step),
        speed: Number(row.speed),
        activeMs: Number(row.active_ms),
      }
    },
    writeSession(row: SessionRow): void {
      write(
        'INSERT OR REPLACE INTO session VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        row.sessionId,
        row.createdMs,
        JSON.stringify(row.configuration),
        row.run,
        row.step,
        row.anchorMs,
        row.anchorStep,
        row.speed,
        row.activeMs,
      )
    },
    /** The only write of an ordinary second: the step that the engine may have reached, and the time of the last request. */
    writeProgress(step: number, activeMs: number): void {
      write('UPDATE session SET step = ?, active_ms = ?', step, activeMs)
    },
    appendCommand(number: number, command: Command): void {
      write('INSERT INTO command VALUES (?, ?, ?)', number, command.step, JSON.stringify(command))
    },
    readCommands(): Command[] {
      return readAll('SELECT body FROM command ORDER BY number')
    },
    appendField(entry: FieldEntry): void {
      write('INSERT INTO field VALUES (?, ?, ?)', entry.number, entry.step, JSON.stringify(entry))
    },
    readField(after: number): FieldEntry[] {
      return readAll('SELECT body FROM field WHERE number > ? ORDER BY number', after)
    },
    /** The number of the last entry of the field by a step; 0 when there is none. */
    countField(step: number): number {
      const [row] = read('SELECT MAX(number) AS last FROM field WHERE step <= ?', step)
      return Number(row?.last ?? 0)
    },
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
      for (const { number, incidents, frames } of findForgotten(storage.sql)) {
        // Numbers continue from all records of the session: deleted ones still count.
        write(
          `INSERT INTO forgotten VALUES (1, ?, ?) ON CONFLICT (one)
           DO UPDATE SET incidents = incidents + excluded.incidents, frames = frames + excluded.frames`,
          incidents,
          frames,
        )
        write('DELETE FROM chunk WHERE number = ?', number)
      }
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
    /** The scenario of the session as it was written; undefined without one. */
    readScenario(): unknown {
      return readAll('SELECT body FROM scenario')[0]
    },
    writeScenario(value: unknown): void {
      write('INSERT OR REPLACE INTO scenario VALUES (1, ?)', JSON.stringify(value))
    },
    /** The answers to its questions, by the names of those who gave them. */
    readAnswers(): readonly HandedIn[] {
      const rows = [...read<{ name: string; body: string }>('SELECT name, body FROM answers ORDER BY name')]
      return rows.map(({ name, body }) => ({ name, answers: JSON.parse(body) }))
    },
    /** Keeps the answers of one person in the place of those before; false where so many others are kept already. */
    writeAnswers({ name, answers }: HandedIn, most: number): boolean {
      const [others] = read('SELECT count(*) AS count FROM answers WHERE name <> ?', name)
      if (Number(others?.count) >= most) return false
      write('INSERT OR REPLACE INTO answers VALUES (?, ?)', name, JSON.stringify(answers))
      return true
    },
    readExternal(): unknown {
      return readAll('SELECT body FROM external')[0]
    },
    writeExternal(value: unknown): void {
      write('INSERT OR REPLACE INTO external VALUES (1, ?)', JSON.stringify(value))
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
    writeTicket(hash: string, expiresMs: number): void {
      write('INSERT INTO ticket VALUES (?, ?)', hash, expiresMs)
    },
    takeTicket(hash: string, nowMs: number): boolean {
      const [ticket] = read('DELETE FROM ticket WHERE hash = ? RETURNING expires_ms', hash)
      return ticket !== undefined && Number(ticket.expires_ms) >= nowMs
    },
    /** Counts the tickets that may still be used; expired ones are forgotten. */
    countTickets(nowMs: number): number {
      write('DELETE FROM ticket WHERE expires_ms < ?', nowMs)
      return [...read('SELECT hash FROM ticket')].length
    },
    /** Deletes the session and all its records; tickets stay valid. */
    clear(): void {
      for (const table of sessionTables) write(`DELETE FROM ${table}`)
    },
  }
}
