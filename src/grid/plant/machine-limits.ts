/** The reactive limits of the machines in the running grid. */

import { memo } from '../../base/memo.ts'
import type { Generator, Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'

/** Share of its range by which a machine's limit lies beyond its output in the published solution of the case. */
const margin = 0.1

/**
 * The machines of a case with the limits of the running grid. Published solutions ignore limits: where one is passed,
 * it moves to the output there and a tenth of its range further.
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
