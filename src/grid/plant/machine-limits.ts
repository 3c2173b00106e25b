/** The reactive limits of the machines in the running grid. */

import { memo } from '../../base/memo.ts'
import type { Generator, Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'

/** Share of its range by which a machine's limit lies beyond its output in the published solution of the case. */
const margin = 0.1

/**
 * The machines of a case with the limits that hold in the running grid.
 *
 * The published solutions of the cases ignore limits, and seven machines of case39 and case118 are beyond theirs. The
 * limit of such a machine is moved to its output there and a tenth of its range further: so every case starts at its
 * published solution.
 */
export const limitedGenerators = memo((base: Network): readonly Generator[] => {
  const { generators } = solvePowerFlow(base)
  return base.generators.map((unit, index) => {
    const q = generators[index]?.qMvar ?? 0
    const beyond = margin * (unit.qMaxMvar - unit.qMinMvar)
    return {
      ...unit,
      qMaxMvar: q > unit.qMaxMvar ? q + beyond : unit.qMaxMvar,
      qMinMvar: q < unit.qMinMvar ? q - beyond : unit.qMinMvar,
    }
  })
})
