/** DROP: a share of the frames does not arrive. */

import { defineAttack } from './definition.ts'
import { isPhasorData, phasorLinks } from './phasor-frames.ts'
import { techniques } from './techniques.ts'

/** Drops frames at random. */
export const drop = defineAttack({
  type: 'DROP',
  name: 'Random packet drop',
  protocol: 'C37.118',
  technique: techniques.blockReporting,
  secondaryTechniques: [techniques.denialOfView],
  severity: 'MEDIUM',
  status: 'dropped',
  params: { drop_percent: { type: 'number', default: 20, min: 0, max: 100, unit: '%' } },
  frameEffect: 'the frame is seen before the attacker and not after him',
  gridEffect: 'gaps in the measured view; the estimate loses redundancy',
  expectedDetection: 'missing time stamps at the concentrator, stale units',
  links: phasorLinks,
  touches: isPhasorData,
  alter(_, { params: { drop_percent }, random }) {
    if (random() * 100 >= drop_percent) return { kind: 'pass' }
    return { kind: 'drop', description: `Dropped (${drop_percent} % of frames)` }
  },
})
