/** The measurement set of all references. */

import type { MeasurementPoint } from '#grid/estimation/measurements.ts'
import type { Network } from '#grid/network/network.ts'

/** Standard deviations of the reference measurement set in per unit. */
const referenceSigmas = { voltage: 0.004, injection: 0.01, flow: 0.008 } as const

/** V, P and Q at every bus, P and Q at the `from` side of every branch, in this order. */
export function fullMeasurementSet(network: Network, sigmas = referenceSigmas): readonly MeasurementPoint[] {
  const { voltage, injection, flow } = sigmas
  return [
    ...network.buses.map(({ id }) => ({ kind: 'v', bus: id, sigma: voltage }) as const),
    ...network.buses.map(({ id }) => ({ kind: 'p_injection', bus: id, sigma: injection }) as const),
    ...network.buses.map(({ id }) => ({ kind: 'q_injection', bus: id, sigma: injection }) as const),
    ...network.branches.map(({ number }) => ({ kind: 'p_flow', branch: number, side: 'from', sigma: flow }) as const),
    ...network.branches.map(({ number }) => ({ kind: 'q_flow', branch: number, side: 'from', sigma: flow }) as const),
  ]
}
