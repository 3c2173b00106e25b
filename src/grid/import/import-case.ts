/** Grids of other programs: a MATPOWER case file or a pandapower network becomes a case. */

import type { Sliced } from '../../base/slices.ts'
import { GridError } from '../errors.ts'
import { completeCase, type ImportedCase } from './complete-case.ts'
import { readMatpower } from './matpower.ts'
import { readPandapower } from './pandapower.ts'

/** Options of an import. */
export interface ImportOptions {
  /** The name of the case in the product; that of the file when left out. */
  readonly name?: string
  /** The frequency of a MATPOWER case, which its format does not have; 60 Hz when left out. */
  readonly f0Hz?: number
}

/** Most characters of a file. */
const mostCharacters = 4_000_000

/**
 * Reads a grid of up to 300 buses, in the format that its text shows.
 *
 * @throws GridError invalid_case when the text is of neither format, is malformed, or has a grid that cannot be simulated.
 */
export function* importCase(text: string, { name, f0Hz = 60 }: ImportOptions = {}): Sliced<ImportedCase> {
  if (text.length > mostCharacters) {
    const state = `the text has ${text.length} characters, expected at most ${mostCharacters}`
    throw new GridError('invalid_case', `Cannot import case: ${state}`)
  }
  const grid = text.trimStart().startsWith('{') ? readPandapower(text) : readMatpower(text, f0Hz)
  return yield* completeCase(grid, name ?? (grid.name || 'imported'))
}
