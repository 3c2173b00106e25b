/** GOOSE_TRIP_SPOOF: forged messages with the next state number make a bay open a breaker. */

import { gooseFrame, publish } from '../step/stations/goose.ts'
import type { ProtectionIed, Telecontrol } from '../telecontrol/telecontrol.ts'
import { defineAttack } from './definition.ts'
import { parameterMistake } from './params.ts'
import { actUs, forgedCommands } from './rogue.ts'
import { techniques } from './techniques.ts'

/** Microseconds between two forged frames, as between a change and its first repetition, and frames in one step. */
const repetitionUs = 4_000
const framesPerStep = 9

/** Publishes a trip under the name and address of a protection device. */
export const gooseTripSpoof = defineAttack({
  type: 'GOOSE_TRIP_SPOOF',
  name: 'Forged GOOSE trip',
  protocol: 'GOOSE',
  ...forgedCommands,
  secondaryTechniques: [techniques.masquerading, techniques.manipulationOfControl],
  params: {
    breaker: { type: 'string', default: 'CB-1-2', maxLength: 64, description: 'id of a breaker in the topology' },
    st_num_jump: {
      type: 'integer',
      default: 1,
      min: 1,
      max: 65_535,
      description: '1 is exactly the next state number; a large one is a careless attacker',
    },
    burst: { type: 'integer', default: 5, min: 1, max: 1000, unit: 'frames' },
  },
  frameEffect: 'same control block and source address, stNum advanced, sqNum from 0, trip true',
  gridEffect: 'the breaker opens; the flow re-solves; overloads may cascade',
  expectedDetection: 'two stNum sequences, stNum that goes back, a change of state without its current',
  defaults: (_, { branchByBreaker }) => {
    const [first] = branchByBreaker.keys()
    return first === undefined || branchByBreaker.has('CB-1-2') ? {} : { breaker: first }
  },
  links: ({ breaker }, plan) => {
    const ied = findIed(plan, plan.branchByBreaker.get(breaker))
    return ied === undefined ? [] : [ied.link]
  },
  check: ({ breaker }, { branchByBreaker }) =>
    branchByBreaker.has(breaker)
      ? []
      : [parameterMistake('breaker', `is "${breaker}", expected a breaker such as "CB-1-2"`)],
  moves: ({ breaker }, { branchByBreaker }) => [[branchByBreaker.get(breaker) ?? 0, false]],
  forge({ context, params: { breaker, st_num_jump, burst }, attackId, memory }) {
    const branch = context.plan.branchByBreaker.get(breaker)
    const ied = findIed(context.plan, branch)
    const state = ied === undefined ? undefined : context.world.goose[ied.node]
    if (ied === undefined || state === undefined || branch === undefined) return
    const sent = Number(memory.sent ?? 0)
    // The bay accepts numbers above the highest so far, forged ones included. One number serves the whole attack: the
    // real publisher may count on meanwhile.
    const highest = Math.max(state.publisher.stateNumber, state.accepted?.stateNumber ?? 0)
    memory.stNum ??= highest + st_num_jump
    const trips = ied.branches.map((number, bit) => number === branch || (state.trips[bit] ?? false))
    const count = Math.min(framesPerStep, burst - sent)
    for (let index = 0; index < count; index++) {
      const counters = { stateNumber: Number(memory.stNum), sequenceNumber: sent + index }
      const payload = gooseFrame(context, ied, { publisher: counters, trips, changedUs: context.startUs + actUs })
      const description = `Forged GOOSE trip of ${breaker}, stNum ${counters.stateNumber}, sqNum ${counters.sequenceNumber}`
      const timeUs = context.startUs + actUs + index * repetitionUs
      publish(context, ied, { payload, timeUs, forged: { attackId, description } })
    }
    memory.sent = sent + Math.max(0, count)
  },
})

/** The protection device whose messages open the breaker of a branch. */
function findIed({ ieds }: Telecontrol, branch: number | undefined): ProtectionIed | undefined {
  return ieds.find(({ branches }) => branch !== undefined && branches.includes(branch))
}
