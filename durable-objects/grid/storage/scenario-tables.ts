/** The tables of a scenario that a session plays: the scenario, and the answers to its questions. */

import type { HandedIn } from '#grid/contract/scenario.ts'
import type { Tables } from '../../base/tables.ts'

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
