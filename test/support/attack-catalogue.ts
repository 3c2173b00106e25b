/** The survey's table of attacks: what the catalogue is held to. */

import vectors from '../vectors/grid-attacks.json' with { type: 'json' }

/** One row of the table. */
export type AttackRow = (typeof vectors.attacks)[number]

/** All rows in the order of the catalogue. */
export const attackRows: readonly AttackRow[] = vectors.attacks

/** Parameters that every attack takes besides its own. */
export const scheduleRow = vectors.schedule

/** The primary technique of an attack, under its current and its legacy id. */
export function techniqueOf(type: string): AttackRow['technique'] {
  const row = attackRows.find(({ id }) => id === type)
  if (row === undefined) throw new Error(`no row ${type}`)
  return row.technique
}
