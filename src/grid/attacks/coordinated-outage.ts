/** COORDINATED_OUTAGE: lines are opened one after another while the control centre goes on seeing the old state. */

import { closeConnection } from '../connections.ts'
import { secondary } from '../telecontrol.ts'
import { defineAttack } from './definition.ts'
import { isPhasorData, rewritePhasors } from './phasor-frames.ts'
import { actUs, commandBreaker, openRogue, rogueId } from './rogue.ts'
import { techniques } from './techniques.ts'
import { isTelemetry, rewriteTelemetry } from './telemetry-frames.ts'

/** Steps from opening a connection to commanding on it. */
const connectSteps = 2

/** Opens several lines with commands of the stations' own protocols, and freezes the reported values. */
export const coordinatedOutage = defineAttack({
  type: 'COORDINATED_OUTAGE',
  name: 'Coordinated N-2 with hidden view',
  protocol: 'telecontrol + C37.118',
  technique: techniques.manipulationOfControl,
  secondaryTechniques: [techniques.commandMessage, techniques.manipulationOfView],
  severity: 'CRITICAL',
  status: 'attacked',
  params: {
    branches: { type: 'strings', default: ['2-3', '2-4'], maxItems: 6 },
    hide_view: {
      type: 'boolean',
      default: true,
      description: 'freezes reported values and states at what they were',
    },
    stagger_s: { type: 'number', default: 5, min: 0, max: 120, unit: 's' },
  },
  frameEffect: 'breaker commands, and old measurements in the place of new ones',
  gridEffect: 'line outages that may cascade while the operator sees nothing',
  expectedDetection: 'the commands, then frequency that does not fit the frozen view',
  check: ({ branches }, { branchByBreaker }) =>
    branches
      .filter((name) => !branchByBreaker.has(`CB-${name}`))
      .map((name) => `Parameter "branches" names "${name}", which is not a line of the network`),
  touches: (message, { hide_view }) => hide_view && (isTelemetry(message) || isPhasorData(message)),
  alter(message, { turn, memory }) {
    const frozen = turn.world.view.values
    memory.values ??= { ...frozen }
    memory.closed ??= { ...turn.world.view.closed }
    const values = memory.values as Readonly<Record<string, number>> // written two lines above
    const closed = memory.closed as Readonly<Record<string, boolean>> // same
    const description = 'Reported values frozen at what they were before the outage'
    if (isPhasorData(message)) {
      const payload = rewritePhasors(turn, message, (measurement) => {
        memory[message.link] ??= measurement.phasors.map(({ magnitude }) => magnitude)
        const magnitudes = memory[message.link] as readonly number[] // written the line above
        const phasors = measurement.phasors.map((phasor, index) => ({
          ...phasor,
          magnitude: magnitudes[index] ?? secondary.volts,
        }))
        return { ...measurement, phasors }
      })
      return payload === undefined ? { kind: 'pass' } : { kind: 'modify', payload, description }
    }
    const payload = rewriteTelemetry(turn, message, {
      value: (point, value) => values[point.name] ?? value,
      state: (branch, state) => closed[String(branch)] ?? state,
    })
    return payload === undefined ? { kind: 'pass' } : { kind: 'modify', payload, description }
  },
  forge(scene) {
    const { turn, params, attackId, frame } = scene
    const staggerSteps = Math.round(params.stagger_s * 10)
    params.branches.forEach((name, order) => {
      const branch = turn.plan.branchByBreaker.get(`CB-${name}`)
      const outstation = turn.plan.outstations.find(
        ({ branches }) => branch !== undefined && branches.includes(branch),
      )
      if (branch === undefined || outstation === undefined) return
      const id = rogueId(attackId, outstation)
      const start = order * staggerSteps
      const connection = turn.world.connections[id]
      if (frame === start && connection === undefined) {
        openRogue(scene, outstation, 'COORDINATED_OUTAGE', techniques.commandMessage)
      }
      if (frame === start + connectSteps && connection !== undefined) {
        const index = outstation.branches.indexOf(branch)
        commandBreaker(scene, connection, outstation, index, false, turn.startUs + actUs + order * 500)
      }
      const isLast = order === params.branches.length - 1
      if (isLast && frame === start + 2 * connectSteps) closeAll(scene)
    })
  },
})

function closeAll({ turn, attackId }: Parameters<NonNullable<typeof coordinatedOutage.forge>>[0]): void {
  for (const outstation of turn.plan.outstations) {
    closeConnection(turn, rogueId(attackId, outstation), turn.startUs + actUs)
  }
}
