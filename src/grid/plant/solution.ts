/** The grid after a solved power flow: voltages, flows, and the load that is served. */

import { liveBuses } from '../network/islands.ts'
import type { Network } from '../network/network.ts'
import type { PowerFlowResult } from '../power-flow/result.ts'
import { loadsAt } from '../power-flow/voltage-loads.ts'

/** The values that the meters of the whole grid would show without error. */
export interface Solution
  extends Pick<PowerFlowResult, 'vmPu' | 'vaRad' | 'branches' | 'generators' | 'islands' | 'limited' | 'lossesMw'> {
  /** Demand and what of it is served, in MW. */
  readonly demandMw: number
  readonly servedMw: number
}

/** The solution of a grid that has not been solved yet. */
export const emptySolution: Solution = {
  vmPu: [],
  vaRad: [],
  branches: [],
  generators: [],
  islands: [],
  limited: [],
  lossesMw: 0,
  demandMw: 0,
  servedMw: 0,
}

/** Makes the solution of a solved network; what is missing of `demandMw` in it is not served. */
export function toSolution(network: Network, result: PowerFlowResult, demandMw: number): Solution {
  const live = liveBuses(result.islands)
  const loads = loadsAt(network, result.vmPu)
  const { vmPu, vaRad, branches, generators, islands, limited, lossesMw } = result
  return {
    vmPu,
    vaRad,
    branches,
    generators,
    islands,
    limited,
    lossesMw,
    demandMw,
    // After a collapse of voltages the flows are those of the share that could be solved, and so is what is served.
    servedMw: loads.reduce((sum, { bus, pMw }) => (live.has(bus) ? sum + pMw * result.solvedShare : sum), 0),
  }
}
