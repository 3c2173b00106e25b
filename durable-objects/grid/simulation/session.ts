/** The session of one object: created, played, stepped, commanded, deleted. */

import { type Command, type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { GridError } from '#grid/errors.ts'
import { openPlayed } from '#grid/interface/scenario-requests.ts'
import { appendRecords, type NewRecords } from '#grid/records/records.ts'
import type { RecordChunk } from '../storage/record-chunks.ts'
import type { SessionRow } from '../storage/session-tables.ts'
import type { SimulationStore } from '../storage/simulation.ts'
import { type CommandBody, type FieldAction, type TakenAction, takeCommand, takeField } from './session-log.ts'
import { beginState, type LiveSession, restoreState } from './session-state.ts'
import { type Publish, runStep, saveSession } from './session-step.ts'

/** The session of one object. */
export type SimulationSession = ReturnType<typeof openSession>

/** Opens the session of the tables at the step that it had reached, or the first one, unwritten until it is used. */
export function openSession(store: SimulationStore, nowMs: number) {
  const row = store.readSession()
  const state = row === undefined ? beginState(defaultConfiguration, nowMs) : restoreState(store, row)
  const live: LiveSession = { store, state, failedStep: undefined, isForgotten: false }

  return {
    session: () => live.state.session,
    world: () => live.state.world,
    records: () => live.state.records,
    commands: (): readonly Command[] => live.state.commands,
    /** The scenario that the session plays; null without one. */
    scenario: () => live.state.scenario,
    fieldLog: () => store.readField(0),
    /** The numbers of the connections from outside that the world has. */
    fieldConnections: () => listFieldConnections(live),
    /** Replaces the session by a new one. */
    create: (configuration: Configuration, createdMs: number) => createSession(live, configuration, createdMs),
    /** Replaces it by one that plays a scenario, which is kept as it was written; throws as `openPlayed` does. */
    play: (value: unknown, createdMs: number) => playScenario(live, value, createdMs),
    /** Begins a session in memory only, for a simulation that is deleted: until `create` nothing can be written. */
    forget(now: number) {
      live.state = beginState(defaultConfiguration, now)
      live.isForgotten = true
    },
    /** True when the simulation was deleted and not created again. */
    isForgotten: () => live.isForgotten,
    /** Refuses a simulation that was deleted: throws not_found. */
    expectExisting: () => expectExisting(live),
    write(change: Partial<SessionRow>) {
      expectExisting(live)
      live.state.session = { ...live.state.session, ...change }
      store.writeSession(live.state.session)
    },
    /** Remembers the moment of a request or a listener; on disk with the next write. */
    touch(now: number) {
      live.state.session = { ...live.state.session, activeMs: now }
    },
    /** Computes and publishes one step; true when listeners have something to read. */
    runStep: (publish: Publish) => runStep(live, publish),
    /** Applies and logs a command; throws not_found after a deletion, and as `takeCommand` does. */
    command(body: CommandBody): Command {
      expectExisting(live)
      return takeCommand(live, body)
    },
    /** Applies and logs what a master from outside did; throws not_found after a deletion, and as `takeField` does. */
    field(action: FieldAction): TakenAction {
      expectExisting(live)
      return takeField(live, action)
    },
    save: () => saveSession(live),
    /** Adds records that the engine did not make, and that were split into rows. */
    append(added: NewRecords, chunks: readonly RecordChunk[]) {
      // Disk first: records that could not be written must not be shown.
      store.appendChunks(chunks)
      appendRecords(live.state.records, added)
    },
  }
}

function createSession(live: LiveSession, configuration: Configuration, createdMs: number): void {
  const { store } = live
  live.state = beginState(configuration, createdMs, live.state.session.speed)
  live.isForgotten = false
  store.together(() => {
    store.clear()
    store.writeSession(live.state.session)
  })
}

function playScenario(live: LiveSession, value: unknown, createdMs: number): void {
  const scenario = openPlayed(value)
  createSession(live, scenario.session.configuration, createdMs)
  live.store.writeScenario(value)
  live.state.scenario = scenario
}

/** A request that was on its way while the simulation was deleted must not bring it back. */
function expectExisting({ isForgotten }: LiveSession): void {
  if (!isForgotten) return
  throw new GridError('not_found', 'Not found: the simulation was deleted', {
    hint: 'GET /api/v1/simulations lists those that exist',
  })
}

function listFieldConnections({ state }: LiveSession): readonly number[] {
  return Object.values(state.world.connections).flatMap(({ id, isField }) =>
    isField === true ? [Number(id.split('#')[1])] : [],
  )
}
