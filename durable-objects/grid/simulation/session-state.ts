/** The state of a session in memory: begun anew, or restored from its tables. */

import type { Command, Configuration } from '#grid/configuration.ts'
import { createWorld, readWorld, replay, type StepOutput, type World } from '#grid/engine.ts'
import { openPlayed } from '#grid/interface/scenario-requests.ts'
import { appendRecords, countForgotten, createRecords, type NewRecords, type Records } from '#grid/records/records.ts'
import type { CheckedScenario } from '#grid/scenario/session.ts'
import { resumeWorld, worldFormat } from '#grid/step/resume.ts'
import type { Pending } from '#grid/step/step-context.ts'
import type { SessionRow } from '../storage/session-tables.ts'
import type { SimulationStore } from '../storage/simulation.ts'

/** A session in memory. */
export interface SessionState {
  session: SessionRow
  world: World
  readonly records: Records
  readonly commands: Command[]
  scenario: CheckedScenario | null
  /** Commands of the scenario that are in the log. */
  issued: number
  /** Records since the last snapshot; the next one writes them. */
  pending: { [Kind in keyof NewRecords]: NewRecords[Kind][number][] }
  /** The frames of what masters from outside did since the last step. */
  outside: Pending
}

/** The session of an object: its state, which another session or a restored one replaces, and the tables behind it. */
export interface LiveSession {
  readonly store: SimulationStore
  state: SessionState
  /** The last step that could not be computed. */
  failedStep: number | undefined
  /** True from the deletion of the simulation until it is created again. */
  isForgotten: boolean
}

/** Begins a session in memory; the first write to it creates its row. */
export function beginState(configuration: Configuration, createdMs: number, speed = 1): SessionState {
  const anchor = { anchorMs: createdMs, anchorStep: 0, speed, activeMs: createdMs }
  const session: SessionRow = {
    sessionId: crypto.randomUUID(),
    createdMs,
    configuration,
    run: 'new',
    step: 0,
    ...anchor,
  }
  return { ...emptyState(session), world: createWorld(configuration) }
}

function emptyState(session: SessionRow): Omit<SessionState, 'world'> {
  const empty = { scenario: null, issued: 0, pending: noRecords(), outside: noPending() }
  return { session, records: createRecords(), commands: [], ...empty }
}

/**
 * Loads the snapshot and computes the later steps again: the same seed and commands give the same bytes.
 *
 * @param outside - the frames that stay where the later steps cannot be computed.
 */
export function restoreState(store: SimulationStore, row: SessionRow, outside = noPending()): SessionState {
  const restored = { ...emptyState(row), outside, commands: store.readCommands() }
  restoreScenario(store, restored)
  for (const chunk of store.readChunks()) appendRecords(restored.records, chunk)
  countForgotten(restored.records, store.readForgotten())
  try {
    const state = { ...restored, world: loadWorld(store, restored) }
    const steps = replay(
      state.world,
      { commands: state.commands, field: store.readField(state.world.field.applied) },
      row.step,
    )
    let next = steps.next()
    for (; next.done !== true; next = steps.next()) keepRecords(state, next.value)
    return { ...state, outside: next.value }
  } catch (error) {
    // A session must open even when its world cannot be read: its records and configuration are still good.
    console.error('Cannot restore the world of a session: resumed without it', error)
    return { ...restored, pending: noRecords(), world: resumeState(store, restored, row.step) }
  }
}

/** A step may have been announced and not computed: what the scenario has in it was not logged then. */
function restoreScenario(store: SimulationStore, state: Omit<SessionState, 'world'>): void {
  const value = store.readScenario()
  if (value === undefined) return
  try {
    state.scenario = openPlayed(value)
  } catch {
    // A session must open even when its scenario is not one any more: it goes on without it.
    return
  }
  const plan = state.scenario.session.commands.map((one) => JSON.stringify(one))
  for (const one of state.commands) if (JSON.stringify(one) === plan[state.issued]) state.issued += 1
  for (const one of issueCommands(state, state.session.step)) {
    store.appendCommand(state.commands.length + 1, one)
    state.commands.push(one)
  }
}

/** Gives the commands of the scenario that come before a step and are not in the log yet, each with its own step. */
export function* issueCommands(
  state: Pick<SessionState, 'scenario' | 'issued'>,
  beforeStep: number,
): Generator<Command, void> {
  for (;;) {
    const next = state.scenario?.session.commands[state.issued]
    if (next === undefined || next.step >= beforeStep) return
    state.issued += 1
    yield next
  }
}

function loadWorld(store: SimulationStore, state: Omit<SessionState, 'world'>): World {
  const { configuration } = state.session
  const snapshot = store.readSnapshot()
  if (snapshot === undefined) return createWorld(configuration)
  if (snapshot.format !== worldFormat) return resumeState(store, state, snapshot.step)
  const { configuration: _, ...rest } = readWorld(snapshot.world)
  // First, as in a world that was never stored: the text of both is the same.
  return { configuration, ...rest }
}

/** Makes a world at a step without the stored one. */
export function resumeState(
  store: SimulationStore,
  { session, commands, records }: Omit<SessionState, 'world'>,
  step: number,
): World {
  const { items, start } = records.frames
  const lastFrameNo = items[(start + items.length - 1) % items.length]?.frameNo ?? 0
  return resumeWorld(session.configuration, commands, { step, lastFrameNo, fieldApplied: store.countField(step) })
}

/** Adds the records of a step to those that are shown and to those that the next snapshot writes. */
export function keepRecords({ records, pending }: SessionState, output: StepOutput): void {
  appendRecords(records, output)
  gatherRecords(pending, output)
}

/** Adds records to a gathered list of each kind. */
export function gatherRecords(gathered: SessionState['pending'], { incidents, packets, frames }: NewRecords): void {
  gathered.incidents.push(...incidents)
  gathered.packets.push(...packets)
  gathered.frames.push(...frames)
}

/** Starts without a frame of masters from outside. */
export function noPending(): Pending {
  return { drafts: [], events: [] }
}

/** Starts without a record. */
export function noRecords(): SessionState['pending'] {
  return { incidents: [], packets: [], frames: [] }
}
