/** The parts of one simulation, wired: tables, session, pace, clock, audience, syslog, diagrams, field, and the rest. */

import { describeSimulation, type ServiceFacts } from '#grid/interface/description.ts'
import { emptyExternal } from '#grid/interface/external.ts'
import type { SessionView } from '#grid/interface/session-view.ts'
import type { Visibility } from '#grid/rights.ts'
import type { GridEnv } from '../env.ts'
import { openSimulationStore } from '../storage/simulation.ts'
import { openAudience } from './audience.ts'
import { openClock } from './clock.ts'
import { openDiagramFeed } from './diagram.ts'
import type { ExternalSession } from './external-session.ts'
import { openFieldLink } from './field.ts'
import { openPace } from './pace.ts'
import { openSession } from './session.ts'
import type { Publish } from './session-step.ts'
import { openStepper } from './stepper.ts'
import { openSyslog } from './syslog.ts'
import { openTally } from './tally.ts'

/** Everything that one simulation is made of. */
export type SimulationParts = ReturnType<typeof openParts>

/** Opens the parts of the simulation that the storage holds; the clock rests until it is touched or started. */
export function openParts({ id, storage }: DurableObjectState, env: GridEnv) {
  const store = openSimulationStore(storage)
  const session = openSession(store, Date.now())
  const sessionId = () => session.session().sessionId
  const audience = openAudience(env, sessionId)
  const syslog = openSyslog(env, () => ({ session: sessionId(), simulation: id.name }))
  const tally = openTally()
  const openDiagram = (visibility: Visibility) => {
    const hasListener = () =>
      audience.listeners.countFor({ topic: 'diagram', audience: visibility }) + audience.relays.count() > 0
    return openDiagramFeed(session, hasListener, audience.announce, visibility)
  }
  const diagrams = { full: openDiagram('full'), 'control-room': openDiagram('control-room') }
  const publish: Publish = (output, firstNumber) => {
    tally.publish(output)
    syslog?.publish(output, firstNumber)
    audience.publish(output, firstNumber)
    for (const diagram of Object.values(diagrams)) diagram.changed()
    field.publish(output.field)
  }
  const field = openFieldLink(session)
  const external: ExternalSession = { store, session, publish, state: store.readExternal() ?? emptyExternal }
  const watchers = {
    direct: () => audience.listeners.count() + field.count(),
    all: () => audience.count() + field.count(),
  }
  const pace = openPace(session)
  const stepper = openStepper(session, pace, publish)
  const clock = openClock({ session, pace, stepper, watchers, alarms: storage })
  return { store, session, pace, stepper, clock, audience, syslog, diagrams, external, tally, field }
}

/** The state from which answers about a simulation are computed. */
export function viewOf({ session, external }: SimulationParts): SessionView {
  return {
    session: session.session(),
    world: session.world(),
    records: session.records(),
    commands: session.commands(),
    field: session.fieldLog,
    external: external.state,
  }
}

/** The facts about the service in an answer: listeners and the syslog collector. */
export function serviceOf({ audience, syslog }: SimulationParts): ServiceFacts {
  return { subscribers: audience.count(), subscribersCutOff: audience.listeners.cutOff(), syslog: syslog?.state() }
}

/** The simulation as it is now: the answer to most orders. */
export function describe(parts: SimulationParts): object {
  return describeSimulation(viewOf(parts), serviceOf(parts), Date.now())
}
