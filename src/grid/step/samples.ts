/** The measurements of outstations: taken at each scan, again between two, and compared with what was last reported. */

import { meterSigma } from '../estimation/measurements.ts'
import { busPosition } from '../network/network.ts'
import { injectionAt } from '../plant/observables.ts'
import type { Outstation, Point } from '../telecontrol/telecontrol.ts'
import { countEnergy } from './stations/outstation-state.ts'
import type { StepScene } from './step-context.ts'

/** Changes of a value in per unit that are an event: some five deviations of its meter. */
const deadBand = { v: 0.02, p_inj: 0.05, q_inj: 0.05, p_flow: 0.05, q_flow: 0.05 } as const

/** Takes the measurements of the scan at every outstation, and counts the energy of it. */
export function takeSamples(scene: Pick<StepScene, 'world' | 'network' | 'plan' | 'random'>): void {
  const { world, plan } = scene
  const noise = scene.random('meters')
  for (const outstation of plan.outstations) {
    const before = world.samples[outstation.node]
    const values = outstation.points.map((point) => trueValue(scene, point) + meterSigma[point.kind] * noise.normal())
    const sample = {
      values,
      closed: outstation.branches.map((branch) => !world.plant.open.includes(branch)),
      ...(outstation.protocol !== 'Modbus' ? { reported: before?.reported ?? values } : {}),
    }
    world.samples[outstation.node] = sample
    countEnergy(scene, outstation, sample)
  }
}

/** Measures each point of an outstation again whose true value has left its dead band since it was last reported. */
export function measureAgain(scene: Pick<StepScene, 'world' | 'network' | 'random'>, outstation: Outstation): void {
  const { samples } = scene.world
  const sample = samples[outstation.node]
  if (sample === undefined) return
  const { reported = sample.values } = sample
  const noise = scene.random('events')
  const values = outstation.points.map((point, index) => {
    const truth = trueValue(scene, point)
    const hasLeft = Math.abs(truth - (reported[index] ?? 0)) > deadBand[point.kind]
    return hasLeft ? truth + meterSigma[point.kind] * noise.normal() : (sample.values[index] ?? 0)
  })
  samples[outstation.node] = { ...sample, values }
}

/** The true value of a point in per unit. */
export function trueValue({ world, network }: Pick<StepScene, 'world' | 'network'>, { kind, element }: Point): number {
  const { solution } = world.plant
  const base = network.baseMva
  switch (kind) {
    case 'v':
      return solution.vmPu[busPosition(network, element)] ?? 0
    case 'p_inj':
      return injectionAt(world.plant, network, element).pMw / base
    case 'q_inj':
      return injectionAt(world.plant, network, element).qMvar / base
    case 'p_flow':
      return (solution.branches[element - 1]?.fromMw ?? 0) / base
    case 'q_flow':
      return (solution.branches[element - 1]?.fromMvar ?? 0) / base
  }
}

/** Takes each value of the last scan that is out of its dead band around the one reported last, which it becomes. */
export function takeChanges({ world }: Pick<StepScene, 'world'>, outstation: Outstation) {
  const { samples } = world
  const sample = samples[outstation.node]
  if (sample === undefined) return []
  const { values, reported = values } = sample
  const left = outstation.points.flatMap(({ kind }, index) => {
    const value = values[index] ?? 0
    return Math.abs(value - (reported[index] ?? 0)) > deadBand[kind] ? [{ index, value }] : []
  })
  if (left.length === 0) return left
  samples[outstation.node] = {
    ...sample,
    reported: reported.map((value, index) => left.find((one) => one.index === index)?.value ?? value),
  }
  return left
}

/** Reads the last scan of the outstations by name of the point and by branch. */
export function lastSamples({ world, plan }: StepScene) {
  const values = plan.outstations.flatMap(({ node, points }) =>
    points.flatMap(({ name }, index) => {
      const value = world.samples[node]?.values[index]
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  const closed = plan.outstations.flatMap(({ node, branches }) =>
    branches.map((branch, index) => [branch, world.samples[node]?.closed[index] ?? true] as const),
  )
  return { values: Object.fromEntries(values), closed: Object.fromEntries(closed) }
}
