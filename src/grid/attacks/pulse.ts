/** PULSE: a short error at regular intervals. */

import { defineAttack } from './definition.ts'
import {
  addToMagnitudes,
  checkPhasorIndex,
  falsePhasors,
  indexedLinks,
  perUnitShare,
  phasorLinks,
  rewritePhasors,
} from './phasor-frames.ts'

/** Spikes on magnitudes or on the frequency. */
export const pulse = defineAttack({
  ...falsePhasors,
  type: 'PULSE',
  name: 'Periodic pulse',
  params: {
    amplitude: {
      type: 'number',
      default: 30,
      min: 0.1,
      max: 1000,
      unit: 'V or Hz',
      description: perUnitShare,
    },
    interval: { type: 'integer', default: 30, min: 1, max: 1000, unit: 'frames' },
    duration_frames: { type: 'integer', default: 3, min: 1, max: 100, unit: 'frames' },
    target: { type: 'string', default: 'magnitude', enum: ['magnitude', 'frequency'] },
    phasor_idx: { type: 'integer', default: -1, min: -1, max: 5, description: '-1 means all phasors' },
  },
  frameEffect: 'amplitude is added while the number of the frame modulo interval is below duration_frames',
  gridEffect: 'the measured view spikes; false over-voltage alarms',
  expectedDetection: 'step between successive frames, largest normalised residual on the spikes only',
  links: (params, plan) => (params.target === 'frequency' ? phasorLinks : indexedLinks)(params, plan),
  check: (params, plan) => (params.target === 'frequency' ? [] : checkPhasorIndex(params, plan)),
  alter(message, { context, params, frame }) {
    const { amplitude, interval, duration_frames, target, phasor_idx } = params
    if (frame % interval >= duration_frames) return { kind: 'pass' }
    const payload = rewritePhasors(context, message, (measurement) =>
      target === 'frequency'
        ? { ...measurement, frequencyHz: measurement.frequencyHz + amplitude }
        : addToMagnitudes(measurement, phasor_idx, () => amplitude),
    )
    if (payload === undefined) return { kind: 'pass' }
    return { kind: 'modify', payload, description: `Pulse of ${amplitude} on ${target}` }
  },
})
