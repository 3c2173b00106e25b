/** A phasor frame and an estimate as the control centre keeps them, for tests of what it makes of them. */

import type { EstimateView } from '#grid/contract/grid.ts'
import type { PhasorView } from '#grid/control-centre/view.ts'

/** A frame at 1 s, nominal in everything but what is changed. */
export function phasorView(change: Partial<PhasorView> = {}): PhasorView {
  return {
    measuredUs: 1_000_000,
    arrivedUs: 1_002_000,
    frequencyHz: 60,
    rocofHzPerS: 0,
    phasors: [{ magnitudePu: 1, angleRad: 0 }],
    fingerprint: 'aa',
    ...change,
  }
}

/** An estimate that nothing is wrong with. */
export function estimateView(change: Partial<EstimateView>): EstimateView {
  const found = { suspicious: false, largest: null, removed: [] }
  return { timestamp: 0, objective: 0, threshold: 1, degreesOfFreedom: 1, ...found, vmPu: [], vaRad: [], ...change }
}
