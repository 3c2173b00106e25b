/** NOISE: random errors on the magnitudes of phasors, and on the frequency where asked. */

import { defineAttack } from './definition.ts'
import { addToMagnitudes, falsePhasors, perUnitShare, rewritePhasors } from './phasor-frames.ts'

/** Gaussian noise on every phasor of every frame. */
export const noise = defineAttack({
  ...falsePhasors,
  type: 'NOISE',
  name: 'Gaussian measurement noise',
  params: {
    noise_std: { type: 'number', default: 1, min: 0.01, max: 100, unit: 'V', description: perUnitShare },
    add_freq_noise: { type: 'boolean', default: false },
    freq_std: { type: 'number', default: 0.05, min: 0.001, max: 5, unit: 'Hz' },
  },
  aliases: { std_dev: 'noise_std' },
  frameEffect:
    'phasor magnitudes (and optionally FREQ) get seeded Gaussian noise, currents in proportion to their base; time stamps stay',
  gridEffect: 'measured view only; J of the estimate rises with noise_std',
  expectedDetection: 'state estimation chi-square, variance of a channel, frequency against the neighbours',
  alter(message, { context, params, normal }) {
    const payload = rewritePhasors(context, message, (measurement) => {
      const noisy = addToMagnitudes(measurement, -1, () => params.noise_std * normal())
      const frequencyHz = measurement.frequencyHz + (params.add_freq_noise ? params.freq_std * normal() : 0)
      return { ...noisy, frequencyHz }
    })
    if (payload === undefined) return { kind: 'pass' }
    return { kind: 'modify', payload, description: `Gaussian noise, std ${params.noise_std} V` }
  },
})
