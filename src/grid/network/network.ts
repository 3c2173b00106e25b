/** The grid itself: buses and what hangs on them, in MW, MVAr, degrees and per unit on the network's base. */

import { memo } from '../../base/memo.ts'
import { GridError } from '../errors.ts'

/** A node of the grid. */
export interface Bus {
  readonly id: number
  readonly area: number
  readonly baseKv: number
  /** Voltage limits in per unit. */
  readonly vMaxPu: number
  readonly vMinPu: number
  /** A planar drawing's coordinates: x and y in 0 to 1000. */
  readonly x: number
  readonly y: number
}

/** Constant-power demand at a bus. */
export interface Load {
  readonly bus: number
  readonly pMw: number
  readonly qMvar: number
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
  readonly pMinMw: number
  /** Rating on which the governor's droop is given. */
  readonly machineMva: number
  /** Inertia constant H in seconds on the network's base (not on the machine's). */
  readonly inertiaS: number
  /** Cost per hour: c2 P^2 + c1 P + c0, P in MW. */
  readonly cost: readonly [c2: number, c1: number, c0: number]
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
  readonly title: string
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
  /** A smallest set of buses whose PMUs make every bus observable. */
  readonly pmuBuses: readonly number[]
}

/** One line per bus: id, load MW and MVAr, shunt MW and MVAr, area, base kV, Vmax, Vmin, x, y. */
export type BusRow = readonly [
  id: number,
  pMw: number,
  qMvar: number,
  gMw: number,
  bMvar: number,
  area: number,
  baseKv: number,
  vMaxPu: number,
  vMinPu: number,
  x: number,
  y: number,
]

/** One line per machine: bus, P, V setpoint, Qmax, Qmin, Pmax, Pmin, machine MVA, H on the base, c2, c1, c0. */
export type GeneratorRow = readonly [
  bus: number,
  pMw: number,
  vSetpointPu: number,
  qMaxMvar: number,
  qMinMvar: number,
  pMaxMw: number,
  pMinMw: number,
  machineMva: number,
  inertiaS: number,
  c2: number,
  c1: number,
  c0: number,
]

/** One line per branch: from, to, r, x, b, ratio (0: none), shift, rating, secure and fragile pick-up in MVA. */
export type BranchRow = readonly [
  from: number,
  to: number,
  r: number,
  x: number,
  b: number,
  ratio: number,
  shiftDeg: number,
  rateMva: number,
  securePickupMva: number,
  fragilePickupMva: number,
]

/** A grid written down as tables. */
export interface CaseTables {
  readonly name: string
  readonly title: string
  readonly baseMva: number
  readonly f0Hz: number
  readonly slackBus: number
  readonly slackAngleDeg: number
  readonly buses: readonly BusRow[]
  readonly generators: readonly GeneratorRow[]
  readonly branches: readonly BranchRow[]
  readonly pmuBuses: readonly number[]
}

/** Builds a network with everything in service from its tables. */
export function toNetwork({ buses, generators, branches, ...rest }: CaseTables): Network {
  return {
    ...rest,
    buses: buses.map(([id, , , , , area, baseKv, vMaxPu, vMinPu, x, y]) => ({
      id,
      area,
      baseKv,
      vMaxPu,
      vMinPu,
      x,
      y,
    })),
    loads: buses
      .map(([bus, pMw, qMvar]) => ({ bus, pMw, qMvar }))
      .filter(({ pMw, qMvar }) => pMw !== 0 || qMvar !== 0),
    shunts: buses
      .map(([bus, , , gMw, bMvar]) => ({ bus, gMw, bMvar }))
      .filter(({ gMw, bMvar }) => gMw !== 0 || bMvar !== 0),
    generators: generators.map(
      ([bus, pMw, vSetpointPu, qMaxMvar, qMinMvar, pMaxMw, pMinMw, machineMva, inertiaS, c2, c1, c0]) => ({
        bus,
        inService: true,
        pMw,
        vSetpointPu,
        qMaxMvar,
        qMinMvar,
        pMaxMw,
        pMinMw,
        machineMva,
        inertiaS,
        cost: [c2, c1, c0] as const,
      }),
    ),
    branches: branches.map(
      ([from, to, r, x, b, ratio, shiftDeg, rateMva, securePickupMva, fragilePickupMva], index) => ({
        number: index + 1,
        from,
        to,
        inService: true,
        r,
        x,
        b,
        ratio: ratio === 0 ? 1 : ratio,
        shiftDeg,
        rateMva,
        securePickupMva,
        fragilePickupMva,
      }),
    ),
  }
}

const positionsOf = memo((buses: readonly Bus[]): ReadonlyMap<number, number> => {
  const positions = new Map(buses.map(({ id }, position) => [id, position]))
  if (positions.size !== buses.length) {
    throw new GridError('invalid_case', 'Cannot read network: a bus id appears twice, expected each once')
  }
  return positions
})

/**
 * Finds the position of each bus in `network.buses` by its id.
 *
 * @throws GridError `invalid_case` when an id appears twice.
 */
export function busPositions({ buses }: Network): ReadonlyMap<number, number> {
  return positionsOf(buses)
}

/** Where a bus stands in `network.buses`. @throws GridError `invalid_case` for an unknown id. */
export function busPosition(network: Network, bus: number): number {
  const position = busPositions(network).get(bus)
  if (position === undefined) {
    throw new GridError('invalid_case', `Cannot read network: bus ${bus} does not exist in "${network.name}"`)
  }
  return position
}

/** The network with the branches of these numbers open and all others as they were. */
export function openBranches(network: Network, numbers: ReadonlySet<number>): Network {
  return {
    ...network,
    branches: network.branches.map((branch) =>
      numbers.has(branch.number) ? { ...branch, inService: false } : branch,
    ),
  }
}

/** The sum of all loads in MW. */
export function totalLoadMw(network: Network): number {
  return network.loads.reduce((sum, { pMw }) => sum + pMw, 0)
}

/**
 * Checks that a network can be computed with: known buses, finite numbers, impedances that are not zero.
 *
 * @throws GridError `invalid_case` naming the first element that is wrong.
 */
export function assertNetwork(network: Network): void {
  const wrong = findMistake(network)
  if (wrong !== undefined) throw new GridError('invalid_case', `Cannot compute network: ${wrong}`)
}

function findMistake(network: Network): string | undefined {
  const { baseMva, slackAngleDeg, slackBus } = network
  if (!(baseMva > 0 && baseMva < Infinity)) return `baseMva is ${baseMva}, expected a positive number`
  if (!Number.isFinite(slackAngleDeg)) return `slackAngleDeg is ${slackAngleDeg}, expected a finite number`
  const positions = busPositions(network)
  if (!positions.has(slackBus)) return `slack bus ${slackBus} does not exist`
  for (const { number, from, to, r, x, b, ratio, shiftDeg } of network.branches) {
    if (!positions.has(from) || !positions.has(to) || from === to) {
      return `branch ${number} joins ${from} and ${to}, expected two different buses that exist`
    }
    if (!Number.isFinite(r + x + b + shiftDeg)) return `branch ${number} has a value that is not finite`
    if (r === 0 && x === 0) return `branch ${number} has no impedance, expected r or x other than 0`
    if (!(ratio > 0 && ratio < Infinity)) return `branch ${number} has ratio ${ratio}, expected above 0`
  }
  for (const { bus, pMw, vSetpointPu } of network.generators) {
    if (!positions.has(bus)) return `a generator stands at bus ${bus}, which does not exist`
    if (!Number.isFinite(pMw)) return `the generator at bus ${bus} has pMw ${pMw}, expected a finite number`
    if (!(vSetpointPu > 0 && vSetpointPu < 2)) {
      return `the generator at bus ${bus} has setpoint ${vSetpointPu}, expected above 0 and below 2 pu`
    }
  }
  for (const { bus, pMw, qMvar } of network.loads) {
    if (!positions.has(bus)) return `a load stands at bus ${bus}, which does not exist`
    if (!Number.isFinite(pMw + qMvar)) return `the load at bus ${bus} is not finite`
  }
  for (const { bus, gMw, bMvar } of network.shunts) {
    if (!positions.has(bus)) return `a shunt stands at bus ${bus}, which does not exist`
    if (!Number.isFinite(gMw + bMvar)) return `the shunt at bus ${bus} is not finite`
  }
  return undefined
}
