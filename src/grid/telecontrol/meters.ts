/** The meters of a network in one list: every point of every outstation, and the voltage of every phasor unit. */

import { memo } from '../../base/memo.ts'
import { type MeasurementPoint, meterSigma, phasorSigma } from '../estimation/measurements.ts'
import type { Point, Telecontrol } from './telecontrol.ts'

/** A meter with the name under which the control centre files its value. */
export interface Meter {
  /** A point's own name, or `PMU_V_9` for the voltage magnitude of the phasor unit at bus 9. */
  readonly name: string
  readonly point: MeasurementPoint
  /** The phasor unit whose meter it is; absent for those of outstations. */
  readonly unit?: string
}

/** Lists the meters; the same list for the same plan. */
export const meterPoints = memo((plan: Telecontrol): readonly Meter[] => [
  ...plan.outstations.flatMap(({ points }) => points.map((point) => ({ name: point.name, point: toPoint(point) }))),
  ...plan.pmus.map(({ node, bus }) => ({
    name: `PMU_V_${bus}`,
    point: { kind: 'v' as const, bus, sigma: phasorSigma.magnitudePu },
    unit: node,
  })),
])

/** Pairs each meter that has a value with it, in the order of the meters. */
export function readMeters(plan: Telecontrol, values: Readonly<Record<string, number>>) {
  return meterPoints(plan).flatMap(({ name, point }) => {
    const value = values[name]
    return value === undefined ? [] : [{ ...point, value }]
  })
}

function toPoint({ kind, element }: Point): MeasurementPoint {
  switch (kind) {
    case 'v':
      return { kind, bus: element, sigma: meterSigma.v }
    case 'p_inj':
      return { kind: 'p_injection', bus: element, sigma: meterSigma.p_inj }
    case 'q_inj':
      return { kind: 'q_injection', bus: element, sigma: meterSigma.q_inj }
    case 'p_flow':
    case 'q_flow':
      return { kind, branch: element, side: 'from', sigma: meterSigma[kind] }
  }
}
