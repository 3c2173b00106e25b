/** A phasor frame as the control centre keeps it, for tests of what it makes of it. */

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
