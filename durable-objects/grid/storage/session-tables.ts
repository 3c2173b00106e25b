/** The tables of a session: its one row, and the log of its commands and of what masters from outside did. */

import type { Command, Configuration, FieldEntry } from '#grid/configuration.ts'
import type { RunState, SessionFacts } from '#grid/interface/session-view.ts'
import type { Tables } from '../../base/tables.ts'

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

/** Opens the row of the session. */
export function openSessionTable({ read, write }: Tables) {
  return {
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
