/** FREQUENCY_OVERRIDE: a fixed frequency in every frame. */

import { defineAttack } from './definition.ts'
import { falsePhasors, rewritePhasors } from './phasor-frames.ts'

/** Replaces FREQ and stills DFREQ; secondary control steers with what it receives. */
export const frequencyOverride = defineAttack({
  ...falsePhasors,
  type: 'FREQUENCY_OVERRIDE',
  name: 'Frequency override',
  params: { target_freq: { type: 'number', default: 60, min: 45, max: 65, unit: 'Hz' } },
  frameEffect: 'FREQ is fixed, DFREQ is 0',
  gridEffect: 'automatic generation control that listens to the unit dispatches wrongly',
  expectedDetection: 'the derivative of the angle does not match FREQ, which has no noise; the neighbours disagree',
  alter(message, { context, params: { target_freq } }) {
    const payload = rewritePhasors(context, message, (measurement) => ({
      ...measurement,
      frequencyHz: target_freq,
      rocofHzPerS: 0,
    }))
    if (payload === undefined) return { kind: 'pass' }
    return { kind: 'modify', payload, description: `Frequency overridden with ${target_freq} Hz` }
  },
})
