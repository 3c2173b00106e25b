/** SCALE: every magnitude multiplied. */

import { defineAttack } from './definition.ts'
import { changeMagnitudes, falsePhasors, rewritePhasors } from './phasor-frames.ts'

/** Multiplies all magnitudes, and the frequency where asked. */
export const scale = defineAttack({
  ...falsePhasors,
  type: 'SCALE',
  name: 'Multiplicative scaling',
  params: {
    scale_factor: { type: 'number', default: 1.5, min: 0, max: 10 },
    also_scale_freq: { type: 'boolean', default: false },
  },
  frameEffect: 'all phasor magnitudes are multiplied',
  gridEffect: 'the view is off by the factor',
  expectedDetection: 'state estimation chi-square and largest normalised residual',
  alter(message, { context, params: { scale_factor, also_scale_freq } }) {
    const payload = rewritePhasors(context, message, (measurement) => ({
      ...changeMagnitudes(measurement, -1, (magnitude) => magnitude * scale_factor),
      frequencyHz: measurement.frequencyHz * (also_scale_freq ? scale_factor : 1),
    }))
    if (payload === undefined) return { kind: 'pass' }
    return { kind: 'modify', payload, description: `Magnitudes scaled by ${scale_factor}` }
  },
})
