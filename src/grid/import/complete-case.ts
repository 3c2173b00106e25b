/** Adds to a grid that was read: ratings, pick-ups, inertia, phasor units and a drawing. */

import { groupBy } from '../../base/group-by.ts'
import type { Sliced } from '../../base/slices.ts'
import { GridError } from '../errors.ts'
import { findExcess } from '../network/assert-network.ts'
import { type CaseTables, readRows, toNetwork, toRow } from '../network/case-tables.ts'
import { findIslands } from '../network/islands.ts'
import { type Network, openBranches } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import type { PowerFlowResult } from '../power-flow/result.ts'
import { fitPlaces, layOut } from './layout.ts'
import { placePmus } from './pmu-placement.ts'
import type { ReadGenerator, ReadGrid } from './read-grid.ts'

/** A case with the sentences about what is not as in the file. */
export interface ImportedCase {
  readonly tables: CaseTables
  readonly warnings: readonly string[]
}

/** Inertia constants in seconds on the machine's own rating: between those of thermal units, and of condensers. */
const inertiaS = { unit: 4, condenser: 1.5 } as const
/** The rating of a machine over its largest limit; of one without limits, over all loads together. */
const reserve = 1.1
const stiff = 10
/** The largest reactive power that is written for a machine without limits. */
const mostMvar = 9_999
/** Characters of a file's name for its grid that are kept. */
const longestTitle = 100

const refuse = (state: string) => new GridError('invalid_case', `Cannot import case: ${state}`)

/**
 * Completes a grid, one outage a slice: a branch without a rating gets 1.5 times its flow, or 0.8 times its flow in the
 * worst outage; pick-ups as in the built-in cases.
 *
 * @throws GridError invalid_case when the grid is too large, is not one island, or has no solution.
 */
export function* completeCase(grid: ReadGrid, name: string): Sliced<ImportedCase> {
  assertSize(grid)
  const warnings = [...grid.warnings]
  const tables = buildTables(grid, name, mergeMachines(grid, warnings))
  const network = toNetwork(tables)
  const base = solve(network, grid)
  const worst = base.branches.map(({ loadingMva }) => loadingMva)
  for (const { number } of network.branches) {
    raiseToOutage(worst, openBranches(network, new Set([number])), base)
    yield
  }
  const branches = readRows('branches', tables.branches).map((row, at) => {
    const given = grid.branches[at]?.rateMva ?? 0
    const suggested = Math.max(1.5 * (base.branches[at]?.loadingMva ?? 0), 0.8 * (worst[at] ?? 0))
    const rateMva = isRated(given) ? given : Math.max(5, Math.ceil(suggested / 5) * 5)
    const securePickupMva = roundUp(Math.max(1.25 * rateMva, 1.1 * (worst[at] ?? 0)))
    return toRow('branches', { ...row, rateMva, securePickupMva, fragilePickupMva: roundUp(1.25 * rateMva) })
  })
  const rated = grid.branches.filter(({ rateMva }) => isRated(rateMva)).length
  if (rated < branches.length) warnings.push(`${branches.length - rated} branches without a rating have suggested ones`)
  const completed = { ...tables, branches }
  assertFinite(completed)
  return { tables: completed, warnings }
}

/** JSON has no number that is not finite. */
function assertFinite(tables: CaseTables): void {
  for (const table of ['buses', 'generators', 'branches'] as const) {
    const row = tables[table].findIndex((numbers) => !numbers.every(Number.isFinite))
    if (row >= 0) throw refuse(`row ${row + 1} of its ${table} has a number that is not finite`)
  }
}

/** A rating of 0 or without limit means none. */
const isRated = (mva: number) => mva > 0 && mva < Infinity

const roundUp = (mva: number) => Math.ceil(mva * 100) / 100

function assertSize({ f0Hz, buses, branches, generators }: ReadGrid): void {
  const excess = findExcess({ f0Hz, buses, branches })
  if (excess !== undefined) throw refuse(excess)
  const odd = buses.find(({ id }) => !(Number.isInteger(id) && id > 0))
  if (odd !== undefined) throw refuse(`a bus has the number ${odd.id}, expected whole numbers above 0`)
  const known = new Set(buses.map(({ id }) => id))
  if (known.size < buses.length) throw refuse('a bus number appears twice, expected each once')
  const lost = branches.find(({ from, to }) => !known.has(from) || !known.has(to) || from === to)
  if (lost !== undefined) {
    throw refuse(`${lost.place} joins buses ${lost.from} and ${lost.to}, expected two different buses of the case`)
  }
  const short = branches.find(({ r, x }) => r === 0 && x === 0)
  if (short !== undefined) throw refuse(`${short.place} has no impedance, expected r or x other than 0`)
  const floating = generators.find(({ bus }) => !known.has(bus))
  if (floating !== undefined) throw refuse(`a machine is at bus ${floating.bus}, which does not exist`)
}

/** Machines at one bus become one: the model has one machine for each bus. */
function mergeMachines({ generators }: ReadGrid, warnings: string[]): readonly ReadGenerator[] {
  return [...groupBy(generators, ({ bus }) => bus)].map(([bus, units]) => {
    const [first, ...others] = units as [ReadGenerator, ...ReadGenerator[]] // a group has a member
    if (others.length === 0) return first
    warnings.push(`${units.length} machines at bus ${bus} are taken as one`)
    return others.reduce(join, first)
  })
}

function join(one: ReadGenerator, other: ReadGenerator): ReadGenerator {
  return {
    ...one,
    pMw: one.pMw + other.pMw,
    qMaxMvar: one.qMaxMvar + other.qMaxMvar,
    qMinMvar: one.qMinMvar + other.qMinMvar,
    pMaxMw: one.pMaxMw + other.pMaxMw,
    pMinMw: one.pMinMw + other.pMinMw,
    ...(one.machineMva !== undefined &&
      other.machineMva !== undefined && { machineMva: one.machineMva + other.machineMva }),
  }
}

const unrated = { rateMva: 0, securePickupMva: 0, fragilePickupMva: 0 } as const

/** Builds the tables of a grid; ratings and pick-ups are 0. */
export function buildTables(grid: ReadGrid, name: string, generators = grid.generators): CaseTables {
  const { baseMva, f0Hz, slackBus, slackAngleDeg, buses } = grid
  const title = (grid.name || name).slice(0, longestTitle)
  const positions = new Map(buses.map(({ id }, at) => [id, at]))
  const neighbours = findNeighbours(grid, positions)
  const drawn = buses.flatMap(({ place }) => (place === undefined ? [] : [place]))
  const places = drawn.length === buses.length ? fitPlaces(drawn) : layOut(neighbours)
  const demandMw = buses.reduce((sum, { pMw }) => sum + Math.max(pMw, 0), 0)
  return {
    name,
    title: `${title} (${grid.format})`,
    source: `Network data: ${grid.format} ${title}. Ratings where the file has none, pick-ups, inertia, phasor units: by the rules of docs/grid.md.`,
    baseMva,
    f0Hz,
    slackBus,
    slackAngleDeg,
    buses: buses.map((bus, at) => {
      const [x, y] = places[at] ?? [500, 500]
      return toRow('buses', { ...bus, x, y })
    }),
    generators: generators.map((unit) => describeMachine(unit, grid, demandMw)),
    branches: grid.branches.map((branch) =>
      toRow('branches', { ...branch, ...unrated, ratio: branch.ratio === 1 ? 0 : branch.ratio }),
    ),
    pmuBuses: placePmus(neighbours).map((at) => buses[at]?.id ?? 0),
  }
}

function findNeighbours({ buses, branches }: ReadGrid, positions: ReadonlyMap<number, number>) {
  const neighbours = buses.map(() => new Set<number>())
  for (const { from, to } of branches) {
    const [one, other] = [positions.get(from) ?? 0, positions.get(to) ?? 0]
    neighbours[one]?.add(other)
    neighbours[other]?.add(one)
  }
  return neighbours.map((others) => [...others])
}

function describeMachine(unit: ReadGenerator, { baseMva, slackBus }: ReadGrid, demandMw: number): readonly number[] {
  const isBounded = Number.isFinite(unit.pMaxMw)
  const pMaxMw = isBounded ? unit.pMaxMw : Math.max(1.5 * demandMw, unit.pMw)
  const pMinMw = Number.isFinite(unit.pMinMw) ? unit.pMinMw : -pMaxMw
  const [qMaxMvar, qMinMvar] = [Math.min(unit.qMaxMvar, mostMvar), Math.max(unit.qMinMvar, -mostMvar)]
  const limits = [pMaxMw, unit.pMw, ...[qMaxMvar, -qMinMvar].filter((limit) => limit < mostMvar)]
  const mva = unit.machineMva ?? Math.max(isBounded ? reserve * Math.max(...limits) : stiff * demandMw, 1)
  const inertia = pMaxMw > 0 || unit.bus === slackBus ? inertiaS.unit : inertiaS.condenser
  const [c2, c1, c0] = unit.cost
  const rating = { machineMva: round(mva), inertiaS: round((inertia * mva) / baseMva) }
  return toRow('generators', { ...unit, pMaxMw, pMinMw, qMaxMvar, qMinMvar, ...rating, c2, c1, c0 })
}

const round = (value: number) => Math.round(value * 1e6) / 1e6

function solve(network: Network, { slackBus }: ReadGrid): PowerFlowResult {
  if (!network.generators.some(({ bus, pMaxMw }) => bus === slackBus && pMaxMw > 0)) {
    throw refuse(`the reference bus ${slackBus} has no machine that can give power, expected one`)
  }
  const [main, ...others] = findIslands(network).toSorted((one, other) => other.buses.length - one.buses.length)
  if (others.length > 0) {
    const cut = others.flatMap(({ buses }) => buses)
    const shown = cut.slice(0, 10).join(', ')
    throw refuse(
      `${cut.length} buses are not connected to the other ${main?.buses.length ?? 0}: ${shown}, expected one island`,
    )
  }
  const result = solvePowerFlow(network)
  if (result.converged) return result
  const share = Math.round(result.solvedShare * 100)
  throw refuse(`its power flow has no solution; ${share} % of its load and dispatch has one`)
}

/** Raises each branch's flow to that of an outage, unless the outage cuts the grid or has no solution. */
function raiseToOutage(worst: number[], outage: Network, base: PowerFlowResult): void {
  if (findIslands(outage).length > 1) return
  const { converged, branches } = solvePowerFlow(outage, { start: base })
  if (!converged) return
  for (const [at, { loadingMva }] of branches.entries()) worst[at] = Math.max(worst[at] ?? 0, loadingMva)
}
