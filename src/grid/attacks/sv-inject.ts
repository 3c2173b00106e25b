/** SV_INJECT: sampled values with other currents make a protection trip on a current that does not flow. */

import { decodeSampledValues, encodeSampledValues } from '../protocols/sampled-values.ts'
import { sampledFrame, toInteger } from '../step/stations/sampled-frames.ts'
import { publishSamples } from '../step/stations/sampled-values.ts'
import { defineAttack } from './definition.ts'
import { techniques } from './techniques.ts'

/** Microseconds into a step at which a forged frame leaves: before the frame of the unit with the same counts. */
const aheadUs = 84_000

/** Takes the counts of a merging unit over, or changes its frames: all units, or the one on `target_link`. */
export const svInject = defineAttack({
  type: 'SV_INJECT',
  name: 'Sampled values injection',
  protocol: 'SV',
  technique: techniques.reportingMessage,
  secondaryTechniques: [techniques.masquerading, techniques.manipulationOfControl],
  severity: 'CRITICAL',
  status: 'attacked',
  needs: 'MMS',
  params: {
    mode: {
      type: 'string',
      default: 'takeover',
      enum: ['takeover', 'alter'],
      description: 'takeover: a second publisher with the next smpCnt; alter: values changed on their way',
    },
    factor: { type: 'number', default: 20, min: 0, max: 1_000, description: 'on the currents of the three phases' },
  },
  frameEffect: 'same svID and source address, smpCnt in front of the honest ones; or currents multiplied',
  gridEffect: 'the protection trips on a current that does not flow: its GOOSE opens the breaker',
  expectedDetection: 'two smpCnt sequences, a breaker that opens without an order, a current without its power',
  links: (_, { mergingUnits }) => mergingUnits.map(({ link }) => link),
  touches: (message, { mode }) => mode === 'alter' && message.protocol === 'SV',
  alter(message, { params: { factor } }) {
    const decoded = decodeSampledValues(message.payload)
    if (!decoded.ok) return undefined
    const asdus = decoded.value.asdus.map((asdu) => ({
      ...asdu,
      values: asdu.values.map((one, channel) => (channel < 3 ? { ...one, value: toInteger(one.value * factor) } : one)),
    }))
    const description = `Sampled values of ${message.srcNode}: currents times ${factor}`
    return { kind: 'modify', payload: encodeSampledValues({ ...decoded.value, asdus }), description }
  },
  forge({ context, params: { mode, factor }, attackId, targetLink, normal }) {
    if (mode !== 'takeover') return
    for (const unit of context.plan.mergingUnits) {
      if (targetLink !== null && targetLink !== unit.link) continue
      const description = `Forged sampled values of ${unit.node}: currents times ${factor}`
      const payload = sampledFrame(context, unit, factor, normal)
      const timeUs = context.startUs + aheadUs
      publishSamples(context, unit, { payload, timeUs, forged: { attackId, description } })
    }
  },
})
