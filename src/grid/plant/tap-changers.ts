/** Tap changers of transformers: each steps towards a voltage behind it, with a dead band and a delay. */

import { memo, memoNewest } from '../../base/memo.ts'
import { type Branch, busPosition, type Network } from '../network/network.ts'
import { solvePowerFlow } from '../power-flow/power-flow.ts'
import type { PlantScene } from './scene.ts'
import type { Plant } from './state.ts'

/** The rule of the tap changers, of values in common use: 16 steps of 0.625 % to either side of the case's ratio. */
export const tapRule = {
  stepRatio: 0.00625,
  mostSteps: 16,
  /** Largest deviation of the voltage in per unit that moves nothing. */
  deadBandPu: 0.0125,
  /** Seconds before a first step, and between it and the next ones. */
  firstSeconds: 30,
  nextSeconds: 5,
} as const

/** A tap changer: the branch of its transformer, and the voltage that it holds behind it. */
interface TapChanger {
  readonly branch: number
  /** Position of the bus at the `to` end, whose voltage no machine holds. */
  readonly position: number
  readonly voltagePu: number
}

/** The tap changers of a network: of branches with a tap that lead to a bus without a machine. */
export const tapChangers = memo((base: Network): readonly TapChanger[] => {
  const { vmPu } = solvePowerFlow(base)
  const held = new Set(base.generators.map(({ bus }) => bus))
  return base.branches.flatMap((branch): TapChanger[] => {
    if (!hasTap(branch) || held.has(branch.to)) return []
    const position = busPosition(base, branch.to)
    return [{ branch: branch.number, position, voltagePu: vmPu[position] ?? 1 }]
  })
})

/** Advances the tap changers: a lower ratio on the `from` side raises the voltage behind it. True when one stepped. */
export function stepTapChangers(
  { plant, base, events }: Pick<PlantScene, 'plant' | 'base' | 'events'>,
  dtSeconds: number,
): boolean {
  const { deadBandPu, mostSteps, firstSeconds, nextSeconds } = tapRule
  const { tapSeconds: before = [], taps = {} } = plant
  const moved: [number, number][] = []
  plant.tapSeconds = tapChangers(base).map(({ branch, position, voltagePu }, index) => {
    const vm = plant.solution.vmPu[position] ?? 0
    const off = vm - voltagePu
    const next = (taps[branch] ?? 0) + Math.sign(off)
    const isResting = vm === 0 || plant.open.includes(branch) || Math.abs(off) <= deadBandPu
    if (isResting || Math.abs(next) > mostSteps) return 0
    const waited = (before[index] ?? 0) + dtSeconds
    if (waited < firstSeconds - 1e-9) return waited
    moved.push([branch, next])
    return firstSeconds - nextSeconds
  })
  if (moved.length === 0) return false
  plant.taps = { ...taps, ...Object.fromEntries(moved) }
  plant.isStale = true
  for (const [branch, step] of moved) events.push(`the tap changer of branch ${branch} moved to step ${step}`)
  return true
}

/** Tests that a branch is a transformer with a tap. */
export function hasTap({ ratio }: Pick<Branch, 'ratio'>): boolean {
  return ratio !== 1
}

/** Moves the tap of a branch by order; false when it is there already. */
export function moveTap(plant: Plant, branch: number, position: number): boolean {
  if ((plant.taps?.[branch] ?? 0) === position) return false
  plant.taps = { ...plant.taps, [branch]: position }
  plant.isStale = true
  return true
}

/** The network with its taps where they are; the same value for as long as none moves. */
export function withTaps(base: Network, taps: Plant['taps']): Network {
  return taps === undefined ? base : findTapped(taps, base)
}

const findTapped = memoNewest((taps: NonNullable<Plant['taps']>, base: Network): Network => {
  const branches = base.branches.map((branch) => {
    const steps = taps[branch.number]
    return steps === undefined ? branch : { ...branch, ratio: branch.ratio + steps * tapRule.stepRatio }
  })
  return { ...base, branches }
})
