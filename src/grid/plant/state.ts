/** The state of the physical grid: everything in it that the next step depends on. Plain JSON. */

import type { FrequencyState } from './frequency-islands.ts'
import type { BreakerFailureState, RelayState, UnderVoltageState } from './protection.ts'
import type { Solution } from './solution.ts'

/** The physical grid between two steps. */
export interface Plant {
  /** Numbers of the branches whose breakers are open. */
  open: readonly number[]
  /** Buses whose load was tripped by its under-voltage relay. */
  trippedLoads: readonly number[]
  /** Machines that are disconnected for the rest of the session, by position. */
  lostMachines: readonly number[]
  /** Share of all loads that is left after voltage collapses: what could still be solved. */
  solvableShare: number
  /** Voltage set points that outstations wrote, by position of the machine. */
  setpoints: Readonly<Record<number, number>>
  loadScale: number
  noise: number
  frequency: FrequencyState
  relays: RelayState
  underVoltage: UnderVoltageState
  /** Breakers that were ordered open and have not moved; absent while there are none. */
  breakerFailure?: BreakerFailureState
  solution: Solution
  /** True once something changed that the solution does not show yet. */
  isStale: boolean
}
