/** The state of the physical grid: everything in it that the next step depends on. Plain JSON. */

import type { FrequencyState } from './frequency-islands.ts'
import type { BreakerFailureState, RelayState, UnderVoltageState } from './protection.ts'
import type { Solution } from './solution.ts'

/** The travel of a machine's relays towards a trip, 0 to 1. */
export interface UnitRelays {
  readonly frequency: number
  readonly voltage: number
}

/** A breaker that waits for synchronism. */
export interface Synchronizer {
  readonly branch: number
  /** Seconds since the order. */
  readonly seconds: number
}

/** A fault on a branch, and the state of its recloser. */
export interface LineFault {
  readonly branch: number
  /** Seconds for which the fault is still there; 0 once it is gone. */
  readonly seconds: number
  /** `waiting`: open, to be closed again; `watching`: closed again, or ordered so; `locked`: closes by order only. */
  readonly recloser: 'ready' | 'waiting' | 'watching' | 'locked'
  /** Seconds in this state of the recloser. */
  readonly waited: number
}

/** The grid while a fault is fed. */
export interface VoltageDip {
  /** Numbers of the branches with a fault. */
  readonly branches: readonly number[]
  /** Seconds since it began. */
  readonly seconds: number
  /** The solution without the fault, from which the next one starts. */
  readonly before: Solution
}

/** A machine that is disconnected. */
export interface LostMachine {
  /** Position in `network.generators`. */
  readonly generator: number
  /** `order`: the operator took it off, and it returns by order only. */
  readonly cause: 'collapse' | 'out_of_step' | 'protection' | 'order'
  /** Seconds since it was disconnected. */
  readonly seconds: number
}

/** The physical grid between two steps. */
export interface Plant {
  /** Numbers of the branches whose breakers are open. */
  open: readonly number[]
  /** Share of each bus's load that is disconnected, above 0 up to 1, by id of the bus; none where it is absent. */
  shed: Readonly<Record<number, number>>
  lostMachines: readonly LostMachine[]
  /** Voltage set points that outstations wrote, by position of the machine. */
  setpoints: Readonly<Record<number, number>>
  loadScale: number
  noise: number
  /** The part of the noise that is each load's, by position of the load; absent while it is off. */
  busNoise?: readonly number[]
  frequency: FrequencyState
  /** Steps of the tap changers from the case's ratios, by number of the branch; absent while none moved. */
  taps?: Readonly<Record<number, number>>
  /** Seconds that the voltage behind each tap changer has been outside of its band; absent while they are off. */
  tapSeconds?: readonly number[]
  relays: RelayState
  underVoltage: UnderVoltageState
  /** The breaker that closes as soon as both sides of it are in synchronism; absent while there is none. */
  synchronizer?: Synchronizer
  /** Relays of each machine, by position; absent while the protection of machines is off. */
  unitRelays?: readonly UnitRelays[]
  /** Breakers that were ordered open and have not moved; absent while there are none. */
  breakerFailure?: BreakerFailureState
  /** Faults of lines, each until it is gone and its line is back or stays open; absent while there are none. */
  faults?: readonly LineFault[]
  /** Absent while no fault is fed; `solution` has the voltages of the fault. */
  dip?: VoltageDip
  solution: Solution
  /** True once something changed that the solution does not show yet. */
  isStale: boolean
}
