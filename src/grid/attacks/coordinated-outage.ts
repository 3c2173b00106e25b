/** COORDINATED_OUTAGE: opens lines one after another while the control centre still sees the old state. */

import { lastSamples } from '../step/samples.ts'
import { linkOf, type Outstation, secondary, type Telecontrol } from '../telecontrol/telecontrol.ts'
import { type AttackScene, defineAttack } from './definition.ts'
import { parameterMistake } from './params.ts'
import { channelBase, isPhasorData, rewritePhasors } from './phasor-frames.ts'
import { actUs, closeRogues, commandBreaker, openRogue, rogueId } from './rogue.ts'
import { techniques } from './techniques.ts'
import { isTelemetry, rewriteTelemetry } from './telemetry-frames.ts'

/** Two lines of case14 at one bus. */
const usualBranches: readonly string[] = ['2-3', '2-4']

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
    branches: { type: 'strings', default: usualBranches, maxItems: 6 },
    hide_view: { type: 'boolean', default: true, description: 'freezes reported values and states at what they were' },
    stagger_s: { type: 'number', default: 5, min: 0, max: 120, unit: 's' },
  },
  frameEffect: 'breaker commands, and old measurements in the place of new ones',
  gridEffect: 'line outages that may cascade while the operator sees nothing',
  expectedDetection:
    'a second master and its commands, then magnitudes without noise and currents that do not fit the frozen view',
  defaults: (_, plan) =>
    usualBranches.every((name) => findStation(plan, name) !== undefined) ? {} : { branches: firstPair(plan) },
  links: ({ branches, hide_view }, plan) => {
    const commanded = branches.flatMap((name) => linkOf(findStation(plan, name)))
    if (!hide_view) return [...new Set(commanded)]
    return [...plan.outstations, ...plan.pmus].map(({ link }) => link)
  },
  check: ({ branches }, plan, targetLink) =>
    branches.flatMap((name, index) => {
      const outstation = findStation(plan, name)
      if (outstation === undefined)
        return [parameterMistake('branches', `names "${name}", which is not a line of the network`)]
      if (branches.indexOf(name) !== index) return [parameterMistake('branches', `names "${name}" twice`)]
      if (targetLink === null || targetLink === outstation.link) return []
      const state = `names "${name}", which is commanded over "${outstation.link}"`
      return [parameterMistake('branches', `${state} and not over the target_link "${targetLink}"`)]
    }),
  touches: (message, { hide_view }) => hide_view && (isTelemetry(message) || isPhasorData(message)),
  alter(message, scene) {
    const { context, memory } = scene
    const { values, closed, magnitudes: seen } = freeze(scene)
    const description = 'Reported values frozen at what they were before the outage'
    if (isPhasorData(message)) {
      const payload = rewritePhasors(context, message, (measurement) => {
        memory[message.link] ??= seen[message.srcNode] ?? measurement.phasors.map(({ magnitude }) => magnitude)
        const magnitudes = memory[message.link] as readonly number[] // written the line above
        const phasors = measurement.phasors.map((phasor, index) => {
          return { ...phasor, magnitude: magnitudes[index] ?? secondary.volts }
        })
        return { ...measurement, phasors }
      })
      return payload && { kind: 'modify', payload, description }
    }
    const payload = rewriteTelemetry(context, message, {
      value: (point, value) => values[point.name] ?? value,
      state: (branch, state) => closed[String(branch)] ?? state,
    })
    return payload && { kind: 'modify', payload, description }
  },
  moves: ({ branches }, { branchByBreaker }) =>
    branches.map((name) => [branchByBreaker.get(`CB-${name}`) ?? 0, false] as const),
  forge(scene) {
    const { context, params, attackId, frame } = scene
    // Before the first command: a later copy would show what the command did.
    if (params.hide_view) freeze(scene)
    const staggerSteps = Math.round(params.stagger_s * 10)
    params.branches.forEach((name, order) => {
      const branch = context.plan.branchByBreaker.get(`CB-${name}`)
      const outstation = findStation(context.plan, name)
      if (branch === undefined || outstation === undefined) return
      const id = rogueId(attackId, outstation)
      const start = order * staggerSteps
      const connection = context.world.connections[id]
      if (frame === start && connection === undefined) {
        openRogue(scene, outstation, 'COORDINATED_OUTAGE', techniques.commandMessage)
      }
      if (frame === start + connectSteps && connection !== undefined) {
        const timeUs = context.startUs + actUs + order * 500
        commandBreaker(scene, connection, outstation, {
          index: outstation.branches.indexOf(branch),
          closed: false,
          timeUs,
        })
      }
      const isLast = order === params.branches.length - 1
      if (isLast && frame === start + 2 * connectSteps) closeRogues(scene)
    })
  },
})

function findStation({ outstations, branchByBreaker }: Telecontrol, line: string): Outstation | undefined {
  const branch = branchByBreaker.get(`CB-${line}`)
  return outstations.find(({ branches }) => branch !== undefined && branches.includes(branch))
}

/** The first two lines that one station commands, where its bus keeps a third: nothing is cut off by them. */
function firstPair({ outstations, neighbours, breakerNames }: Telecontrol): readonly string[] {
  const station = outstations.find(({ bus, branches }) => branches.length > 1 && (neighbours.get(bus)?.length ?? 0) > 2)
  const pair = station?.branches.slice(0, 2) ?? []
  return pair.flatMap((number) => breakerNames.get(number)?.replace(/^CB-/, '') ?? [])
}

interface FrozenView {
  readonly values: Readonly<Record<string, number>>
  readonly closed: Readonly<Record<string, boolean>>
  /** Of the phasors of each unit, in volts and amperes. */
  readonly magnitudes: Readonly<Record<string, readonly number[]>>
}

/** Copies, once, what the control centre knows, and what outstations measured where nothing has arrived yet. */
function freeze({ context, memory }: AttackScene<unknown>): FrozenView {
  if (memory.frozen === undefined) {
    const { view } = context.world
    const { values, closed } = lastSamples(context)
    const units = Object.entries(view.phasors)
    memory.frozen = {
      values: { ...values, ...view.values },
      closed: { ...closed, ...view.closed },
      // In volts and amperes, the voltage first.
      magnitudes: Object.fromEntries(
        units.map(([node, { phasors }]) => [
          node,
          phasors.map(({ magnitudePu }, index) => magnitudePu * channelBase(index)),
        ]),
      ),
    }
  }
  // This function wrote it, in this or an earlier step.
  return memory.frozen as unknown as FrozenView
}
