/** The synchronism check of a breaker between two live islands, and the synchronizer that waits for its moment. */

import { toDegrees, wrapAngle } from '../angles.ts'
import { stepSeconds } from '../configuration.ts'
import { type Branch, busPosition, type Network } from '../network/network.ts'
import { moveReferences } from './frequency.ts'
import { type IslandFrequency, islandAt } from './frequency-islands.ts'
import type { PlantScene } from './scene.ts'
import { measureLoad } from './shed-load.ts'
import type { LostMachine, Plant } from './state.ts'

/** Largest differences across a breaker that closes: settings in common use for a check between two systems. */
export const synchronismLimits = { angleDeg: 20, slipHz: 0.1, voltagePu: 0.1 } as const

/** Differences beyond which machines lose step when a breaker closes all the same: a design rule. */
export const outOfStep = { angleDeg: 60, slipHz: 0.5 } as const

/** The synchronizer closes within narrower limits, steers the lighter island, and gives up after two minutes. */
const synchronizing = {
  angleDeg: 5,
  slipHz: 0.05,
  approachSeconds: 8,
  mostSlipHz: 0.04,
  gainPerSecond: 0.5,
  seconds: 120,
} as const

/** The differences across an open breaker between two live islands. */
export interface SynchronismCheck {
  /** Angle of the `from` side less that of the `to` side, behind the phase shift of the branch. */
  readonly angleDeg: number
  readonly slipHz: number
  readonly voltagePu: number
}

/** Measures across an open breaker; undefined where a side is dead or both are one island: then any moment is good. */
export function measureSynchronism(plant: Plant, base: Network, branch: number): SynchronismCheck | undefined {
  const sides = findSides(plant, base, branch)
  return sides && compareSides(plant, base, sides)
}

/** A branch between two live islands. */
interface Sides {
  readonly element: Branch
  readonly from: IslandFrequency
  readonly to: IslandFrequency
}

function findSides(plant: Plant, base: Network, branch: number): Sides | undefined {
  const element = base.branches.find(({ number }) => number === branch)
  if (element === undefined) return undefined
  const [from, to] = [islandAt(plant.frequency, element.from), islandAt(plant.frequency, element.to)]
  if (from === undefined || to === undefined || from === to || from.collapsed || to.collapsed) return undefined
  return { element, from, to }
}

function compareSides({ solution }: Plant, base: Network, { element, from, to }: Sides): SynchronismCheck {
  const { vmPu, vaRad } = solution
  const [here, there] = [busPosition(base, element.from), busPosition(base, element.to)]
  const angle = from.angleRad + (vaRad[here] ?? 0) - to.angleRad - (vaRad[there] ?? 0)
  return {
    angleDeg: wrapAngle(toDegrees(angle) - element.shiftDeg, 360),
    slipHz: from.frequencyHz - to.frequencyHz,
    voltagePu: (vmPu[here] ?? 0) / element.ratio - (vmPu[there] ?? 0),
  }
}

/** Says why a breaker must not close now; undefined when it may. */
export function refuseClosing(plant: Plant, base: Network, branch: number): string | undefined {
  const check = measureSynchronism(plant, base, branch)
  return check === undefined || isWithin(check, synchronismLimits) ? undefined : describeCheck(check)
}

function isWithin(
  { angleDeg, slipHz, voltagePu }: SynchronismCheck,
  limits: Pick<SynchronismCheck, 'angleDeg' | 'slipHz'>,
): boolean {
  const { voltagePu: most } = synchronismLimits
  return Math.abs(angleDeg) <= limits.angleDeg && Math.abs(slipHz) <= limits.slipHz && Math.abs(voltagePu) <= most
}

function describeCheck({ angleDeg, slipHz, voltagePu }: SynchronismCheck): string {
  const { angleDeg: angle, slipHz: slip, voltagePu: voltage } = synchronismLimits
  const [degrees, hz, pu] = [angleDeg.toFixed(1), slipHz.toFixed(3), voltagePu.toFixed(3)]
  return `the sides differ by ${degrees} deg, ${hz} Hz and ${pu} pu, expected at most ${angle} deg, ${slip} Hz and ${voltage} pu`
}

/**
 * Takes the consequence of a breaker that is about to close out of step: the machines of the lighter island trip,
 * beyond 60 degrees or 0.5 Hz.
 *
 * @returns a sentence about it, for people to read; undefined when nothing trips.
 */
export function loseStep(plant: Plant, base: Network, branch: number): string | undefined {
  const sides = findSides(plant, base, branch)
  if (sides === undefined) return undefined
  const { angleDeg, slipHz } = compareSides(plant, base, sides)
  if (Math.abs(angleDeg) <= outOfStep.angleDeg && Math.abs(slipHz) <= outOfStep.slipHz) return undefined
  const { machines } = findLighter(base, sides)
  const lost = machines.map(({ generator }): LostMachine => ({ generator, cause: 'out_of_step', seconds: 0 }))
  plant.lostMachines = [...plant.lostMachines, ...lost]
  return `machines lost step: a breaker closed at ${angleDeg.toFixed(1)} deg and ${slipHz.toFixed(3)} Hz, and ${lost.length} of the lighter island tripped`
}

function findLighter(base: Network, { from, to }: Sides): IslandFrequency {
  return sumInertia(base, from) < sumInertia(base, to) ? from : to
}

function sumInertia(base: Network, { machines }: IslandFrequency): number {
  return machines.reduce((sum, { generator }) => sum + (base.generators[generator]?.inertiaS ?? 0), 0)
}

/** The buses of the island that the synchronizer steers, whose secondary control rests meanwhile. */
export function steeredBuses(plant: Plant, base: Network): readonly number[] {
  const sides = plant.synchronizer && findSides(plant, base, plant.synchronizer.branch)
  return sides === undefined ? [] : findLighter(base, sides).buses
}

/** Advances the synchronizer, which steers the lighter island until the angle closes; returns the branch to close. */
export function stepSynchronizer(scene: PlantScene): number | undefined {
  const { plant, base, events } = scene
  const { synchronizer } = plant
  if (synchronizer === undefined) return undefined
  const { branch } = synchronizer
  const sides = findSides(plant, base, branch)
  const check = sides && compareSides(plant, base, sides)
  if (sides === undefined || check === undefined || isWithin(check, synchronizing)) {
    delete plant.synchronizer
    return branch
  }
  const seconds = synchronizer.seconds + stepSeconds
  if (seconds >= synchronizing.seconds) {
    delete plant.synchronizer
    events.push(`the synchronizer of branch ${branch} gave up: ${describeCheck(check)}`)
    return undefined
  }
  plant.synchronizer = { branch, seconds }
  steer(scene, sides, check)
  return undefined
}

function steer({ plant, base, factor }: PlantScene, sides: Sides, { angleDeg }: SynchronismCheck): void {
  const lighter = findLighter(base, sides)
  const [other, ahead] = lighter === sides.from ? [sides.to, angleDeg] : [sides.from, -angleDeg]
  const { approachSeconds, mostSlipHz, gainPerSecond } = synchronizing
  const slipHz = Math.min(Math.max(-ahead / 360 / approachSeconds, -mostSlipHz), mostSlipHz)
  const deviationHz = lighter.frequencyHz - (other.frequencyHz + slipHz)
  const { loadMw } = measureLoad(plant, base, lighter.buses, factor)
  const steered = moveReferences(lighter, base, loadMw, gainPerSecond * stepSeconds * deviationHz)
  plant.frequency = { islands: plant.frequency.islands.map((island) => (island === lighter ? steered : island)) }
}
