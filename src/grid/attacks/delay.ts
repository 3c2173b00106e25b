/** DELAY: frames arrive later than they were measured. */

import { defineAttack } from './definition.ts'
import { isPhasorData, phasorLinks } from './phasor-frames.ts'
import { techniques } from './techniques.ts'

/** Holds every frame for a while; the order of a stream stays. */
export const delay = defineAttack({
  type: 'DELAY',
  name: 'Delay',
  protocol: 'C37.118',
  technique: techniques.adversaryInTheMiddle,
  secondaryTechniques: [techniques.denialOfView],
  severity: 'HIGH',
  status: 'attacked',
  params: {
    delay_ms: { type: 'number', default: 100, min: 0, max: 5000, unit: 'ms' },
    jitter_ms: { type: 'number', default: 0, min: 0, max: 1000, unit: 'ms' },
  },
  frameEffect: 'content unchanged; the arrival is later than the time stamp by the delay',
  gridEffect: 'a stale view; secondary control lags',
  expectedDetection: 'arrival less time stamp, frames that come too late for the concentrator',
  links: phasorLinks,
  touches: isPhasorData,
  alter(_, { params: { delay_ms, jitter_ms }, random }) {
    const delayMs = delay_ms + jitter_ms * random()
    return {
      kind: 'delay',
      delayUs: Math.round(delayMs * 1000),
      description: `Delayed by ${delayMs.toFixed(1)} ms`,
    }
  },
})
