/** ANGLE_OVERRIDE: one phasor with an angle of the attacker's choice. */

import { defineAttack } from './definition.ts'
import { changePhasors, checkPhasorIndex, falsePhasors, indexedLinks, rewritePhasors } from './phasor-frames.ts'

/** Replaces the angle of one phasor. */
export const angleOverride = defineAttack({
  ...falsePhasors,
  type: 'ANGLE_OVERRIDE',
  name: 'Phase angle override',
  params: {
    phasor_idx: { type: 'integer', default: 0, min: 0, max: 5 },
    angle_deg: { type: 'number', default: 0, min: -180, max: 180, unit: 'deg' },
  },
  frameEffect: 'the angle of the chosen phasor is replaced',
  gridEffect: 'a false angle difference between buses',
  expectedDetection: 'angles and currents against the state estimate, an angle that does not turn as FREQ says',
  links: indexedLinks,
  check: checkPhasorIndex,
  alter(message, { context, params: { phasor_idx, angle_deg } }) {
    const angle = (angle_deg * Math.PI) / 180
    const payload = rewritePhasors(context, message, (measurement) =>
      changePhasors(measurement, phasor_idx, (phasor) => ({ ...phasor, angle })),
    )
    if (payload === undefined) return { kind: 'pass' }
    return {
      kind: 'modify',
      payload,
      description: `Angle of phasor ${phasor_idx} overridden with ${angle_deg} deg`,
    }
  },
})
