/** The grid as data: buses and what is connected to them, in MW, MVAr, degrees and per unit on the network's base. */

import { memo, memoNewest } from '../../base/memo.ts'
import { GridError } from '../errors.ts'

/** A node of the grid. */
export interface Bus {
  readonly id: number
  readonly area: number
  readonly baseKv: number
  /** A planar drawing's coordinates: x and y in 0 to 1000. */
  readonly x: number
  readonly y: number
}

/** Demand at a bus: constant power, or by `Network.loadModel`. */
export interface Load {
  readonly bus: number
  readonly pMw: number
  readonly qMvar: number
}

/** Shares of a load that go with the square of its voltage and with its voltage; the rest is constant power. */
export interface LoadShares {
  readonly impedance: number
  readonly current: number
}

/** The dependence of all loads on their voltages. */
export interface LoadModel {
  readonly active: LoadShares
  readonly reactive: LoadShares
  /** The voltage of each bus in per unit at which its load is the one that is listed, by position in `buses`. */
  readonly referencePu: readonly number[]
}

/** A fixed admittance at a bus, given as the power it takes (MW) and gives (MVAr) at 1 pu. */
export interface Shunt {
  readonly bus: number
  readonly gMw: number
  readonly bMvar: number
}

/** A synchronous machine; a condenser is one whose `pMaxMw` is 0. */
export interface Generator {
  readonly bus: number
  readonly inService: boolean
  /** Dispatched active power; the slack's balances its island. */
  readonly pMw: number
  readonly vSetpointPu: number
  readonly qMaxMvar: number
  readonly qMinMvar: number
  readonly pMaxMw: number
  /** Least output of its turbine. */
  readonly pMinMw: number
  /** Rating on which the governor's droop is given. */
  readonly machineMva: number
  /** Inertia constant H in seconds on the network's base (not on the machine's). */
  readonly inertiaS: number
}

/** A line or transformer: pi model, tap and phase shift on the `from` side. */
export interface Branch {
  /** Counted from 1 in the case's own order. */
  readonly number: number
  readonly from: number
  readonly to: number
  /** False when the breaker at either end is open. */
  readonly inService: boolean
  /** Series impedance in per unit. */
  readonly r: number
  readonly x: number
  /** Total charging susceptance in per unit; half of it sits at each end. */
  readonly b: number
  /** Off-nominal tap ratio; 1 for a line. */
  readonly ratio: number
  readonly shiftDeg: number
  /** Thermal rating in MVA: the case's own or the suggested one. */
  readonly rateMva: number
  /** Over-current pick-up in MVA with which no single outage trips anything. */
  readonly securePickupMva: number
  /** Over-current pick-up in MVA of 1.25 times the rating: the fragile option. */
  readonly fragilePickupMva: number
}

/** A whole grid. Every change makes a new value; `buses` keeps its identity, so that plans can be kept by it. */
export interface Network {
  readonly name: string
  readonly baseMva: number
  readonly f0Hz: number
  /** The slack of the island that contains it, and that island's reference angle. */
  readonly slackBus: number
  readonly slackAngleDeg: number
  readonly buses: readonly Bus[]
  readonly branches: readonly Branch[]
  readonly generators: readonly Generator[]
  readonly loads: readonly Load[]
  readonly shunts: readonly Shunt[]
  /** Absent where loads are constant power, as in the case files. */
  readonly loadModel?: LoadModel
  /** A smallest set of buses whose PMUs make every bus observable. */
  readonly pmuBuses: readonly number[]
  /** The buses whose substations are IEC 61850 stations; absent where none is. */
  readonly iec61850Buses?: readonly number[]
}

/**
 * Finds the position of each bus of a list by its id.
 *
 * @throws GridError invalid_case when an id appears twice.
 */
export const busPositions = memo((buses: Network['buses']): ReadonlyMap<number, number> => {
  const positions = new Map(buses.map(({ id }, position) => [id, position]))
  if (positions.size !== buses.length) {
    throw new GridError('invalid_case', 'Cannot read network: a bus id appears twice, expected each once')
  }
  return positions
})

/**
 * The position of a bus in `network.buses`.
 *
 * @throws GridError invalid_case when no bus has the id.
 */
export function busPosition(network: Network, bus: number): number {
  const position = busPositions(network.buses).get(bus)
  if (position === undefined) {
    throw new GridError('invalid_case', `Cannot read network: bus ${bus} does not exist in "${network.name}"`)
  }
  return position
}

/** Elements that are at buses. */
type AtBuses = readonly { readonly bus: number }[]

/** Finds the position of the bus of each element, once for lists that name the same buses in the same order. */
const findPositions = () =>
  memoNewest(
    (buses: readonly Bus[], elements: AtBuses) => {
      const known = busPositions(buses)
      return Int32Array.from(elements, ({ bus }) => known.get(bus) ?? -1)
    },
    (before, now) => before.length === now.length && now.every(({ bus }, index) => bus === before[index]?.bus),
  )

const findLoadPositions = findPositions()
const findGeneratorPositions = findPositions()

/** The position of the bus of each load; -1 where it does not exist. */
export function loadPositions({ buses, loads }: Network): Int32Array {
  return findLoadPositions(buses, loads)
}

/** The position of the bus of each machine; -1 where it does not exist. */
export function generatorPositions({ buses, generators }: Network): Int32Array {
  return findGeneratorPositions(buses, generators)
}

/** The network with the branches of these numbers open and all others as they were. */
export function openBranches(network: Network, numbers: ReadonlySet<number>): Network {
  return {
    ...network,
    branches: network.branches.map((branch) => (numbers.has(branch.number) ? { ...branch, inService: false } : branch)),
  }
}

/** The sum of all loads in MW. */
export function totalLoadMw(network: Network): number {
  return network.loads.reduce((sum, { pMw }) => sum + pMw, 0)
}
