/** The tables of a session: its one row, the log of commands and of what masters from outside did, and its scenario. */

import type { Command, FieldEntry } from '#grid/configuration.ts'
import type { HandedIn } from '#grid/contract/scenario.ts'
import type { SessionFacts } from '#grid/interface/session-view.ts'
import type { Tables } from '../../base/tables.ts'

/** The one row of a session. */
export interface SessionRow extends SessionFacts {
  /** The step that the engine may have reached; written before it gets there. */
  readonly step: number
  /** The last moment of a listener or a request, in Unix milliseconds. */
  readonly activeMs: number
}

/** The row as it lies in the table, which only `writeSession` writes. */
type StoredSession = {
  [Name in keyof SessionRow]: SessionRow[Name] extends number | string ? SessionRow[Name] : string
}

/** Most orders of one session, each a row; ends of attacks and settings of the clock do not count. */
export const maximumCommands = 10_000

/** Commands beyond which the clock is not started by hand any more, so that starts and stops do not grow the log. */
export const maximumStarts = 100_000

/** Most entries of masters from outside in one session: some four hours of polls of 14 stations every two seconds. */
export const maximumField = 200_000

/** Opens the row of the session. */
export function openSessionTable({ read, write }: Tables) {
  return {
    readSession(): SessionRow | undefined {
      const [row] = read<StoredSession>(
        `SELECT session_id AS sessionId, created_ms AS createdMs, configuration, run, step, anchor_ms AS anchorMs,
         anchor_step AS anchorStep, speed, active_ms AS activeMs FROM session`,
      )
      return row && { ...row, configuration: JSON.parse(row.configuration) }
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
  }
}

/** Opens the log of the session. */
export function openLogTables({ read, readBodies, write }: Tables) {
  return {
    appendCommand(number: number, command: Command): void {
      write('INSERT INTO command VALUES (?, ?, ?)', number, command.step, JSON.stringify(command))
    },
    readCommands(): Command[] {
      return readBodies('SELECT body FROM command ORDER BY number')
    },
    appendField(entry: FieldEntry): void {
      write('INSERT INTO field VALUES (?, ?, ?)', entry.number, entry.step, JSON.stringify(entry))
    },
    readField(after: number): FieldEntry[] {
      return readBodies('SELECT body FROM field WHERE number > ? ORDER BY number', after)
    },
    /** The number of the last entry of the field by a step; 0 when there is none. */
    countField(step: number): number {
      const [row] = read('SELECT MAX(number) AS last FROM field WHERE step <= ?', step)
      return Number(row?.last ?? 0)
    },
  }
}

/** Opens the scenario and its answers. */
export function openScenarioTables({ read, readBodies, write }: Tables) {
  return {
    /** The scenario of the session as it was written; undefined without one. */
    readScenario(): unknown {
      return readBodies('SELECT body FROM scenario')[0]
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
  }
}
