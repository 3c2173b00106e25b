/** MAGNITUDE_OVERRIDE: one phasor with a magnitude of the attacker's choice. */

import { defineAttack } from './definition.ts'
import {
  changeMagnitudes,
  channelUnit,
  checkPhasorIndex,
  falsePhasors,
  indexedLinks,
  rewritePhasors,
} from './phasor-frames.ts'

/** Replaces the magnitude of one phasor. */
export const magnitudeOverride = defineAttack({
  ...falsePhasors,
  type: 'MAGNITUDE_OVERRIDE',
  name: 'Voltage or current magnitude override',
  params: {
    phasor_idx: { type: 'integer', default: 0, min: 0, max: 5 },
    value: { type: 'number', default: 0, min: 0, max: 10_000, unit: 'V or A' },
  },
  frameEffect: 'the magnitude of the chosen phasor is replaced',
  gridEffect: '0 looks like a dead bus',
  expectedDetection: 'gross error in one scan of the state estimation',
  links: indexedLinks,
  check: checkPhasorIndex,
  alter(message, { context, params: { phasor_idx, value } }) {
    const payload = rewritePhasors(context, message, (measurement) =>
      changeMagnitudes(measurement, phasor_idx, () => value),
    )
    if (payload === undefined) return { kind: 'pass' }
    return {
      kind: 'modify',
      payload,
      description: `Magnitude of phasor ${phasor_idx} overridden with ${value} ${channelUnit(phasor_idx)}`,
    }
  },
})
