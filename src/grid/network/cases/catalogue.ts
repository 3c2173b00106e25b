/** The grids that come with the product, by name. */

import { GridError } from '../../errors.ts'
import { toNetwork } from '../case-tables.ts'
import type { Network } from '../network.ts'
import case9 from './case9.json' with { type: 'json' }
import case14 from './case14.json' with { type: 'json' }
import case30 from './case30.json' with { type: 'json' }
import case39 from './case39.json' with { type: 'json' }
import case118 from './case118.json' with { type: 'json' }

/** Names of the built-in grids, smallest first. */
export const caseNames = ['case9', 'case14', 'case30', 'case39', 'case118'] as const

/** One of the built-in grids. */
export type CaseName = (typeof caseNames)[number]

/** The grid of a simulation that asked for none. */
export const defaultCase: CaseName = 'case14'

const networks: Readonly<Record<CaseName, Network>> = {
  case9: toNetwork(case9),
  case14: toNetwork(case14),
  case30: toNetwork(case30),
  case39: toNetwork(case39),
  case118: toNetwork(case118),
}

/** Tests that a text names a built-in grid. */
export function isCaseName(text: string): text is CaseName {
  return caseNames.some((name) => name === text)
}

/**
 * Looks a built-in grid up; the same value every time, so plans made for it are kept.
 *
 * @throws GridError invalid_case when the name is not in `caseNames`.
 */
export function findCase(name: string): Network {
  if (!isCaseName(name)) {
    throw new GridError('invalid_case', `Cannot load case: "${name}", expected ${caseNames.join(', ')}`)
  }
  return networks[name]
}
