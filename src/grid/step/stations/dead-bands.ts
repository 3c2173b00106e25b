/** Values of a scan that outstations report by themselves: those that have left their dead band. */

import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { StepScene } from '../step-context.ts'

/** Changes of a value in per unit that are an event: some five deviations of its meter. */
const deadBand = { v: 0.02, p_inj: 0.05, q_inj: 0.05, p_flow: 0.05, q_flow: 0.05 } as const

/** Takes each value of the last scan that is out of its dead band around the one that was reported last. */
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
