/** The table of the newest snapshot of a world. */

import type { Tables } from '../../base/tables.ts'
import { rowCharacters } from './record-chunks.ts'

/** A stored world: its text, the number of its form, and the step that it had reached. */
export interface Snapshot {
  readonly step: number
  readonly format: number
  readonly world: string
}

/** Opens the snapshot. */
export function openWorldTable({ read, write }: Tables) {
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
