/** RAMP: an error that grows a little with every frame. */

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

/** A slow ramp of magnitudes or of the frequency. */
export const ramp = defineAttack({
  ...falsePhasors,
  type: 'RAMP',
  name: 'Slow ramp of magnitude or frequency',
  params: {
    ramp_rate: {
      type: 'number',
      default: 0.05,
      min: 0.001,
      max: 100,
      unit: 'V or Hz per frame',
      description: perUnitShare,
    },
    target: { type: 'string', default: 'magnitude', enum: ['magnitude', 'frequency'] },
    direction: { type: 'string', default: 'up', enum: ['up', 'down'] },
    phasor_idx: { type: 'integer', default: -1, min: -1, max: 5, description: '-1 means all phasors' },
  },
  frameEffect: 'the offset grows by ramp_rate with each frame of a stream from the start frame on',
  gridEffect: 'the measured view drifts; residuals grow until a normalised one passes 3',
  expectedDetection: 'rate of change, largest normalised residual after a delay, a redundant meter',
  links: (params, plan) => (params.target === 'frequency' ? phasorLinks : indexedLinks)(params, plan),
  check: (params, plan) => (params.target === 'frequency' ? [] : checkPhasorIndex(params, plan)),
  alter(message, { context, params, frame }) {
    const { ramp_rate, target, direction, phasor_idx } = params
    const offset = (frame + 1) * ramp_rate * (direction === 'up' ? 1 : -1)
    const payload = rewritePhasors(context, message, (measurement) =>
      target === 'frequency'
        ? { ...measurement, frequencyHz: measurement.frequencyHz + offset }
        : addToMagnitudes(measurement, phasor_idx, () => offset),
    )
    if (payload === undefined) return { kind: 'pass' }
    const description = `Ramp ${direction}, ${ramp_rate} per frame on ${target}, frame ${frame + 1}`
    return { kind: 'modify', payload, description }
  },
})
