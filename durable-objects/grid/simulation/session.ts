/** The session of one object: created, stepped, commanded, saved. */

import { doAtOnce } from '#base/slices.ts'
import { applyField } from '#grid/channel/outside.ts'
import {
  type Command,
  type Configuration,
  defaultConfiguration,
  type FieldEntry,
  stepsPerSecond,
  stepUs,
} from '#grid/configuration.ts'
import { type StepOutput, step, worldTimeUs } from '#grid/engine.ts'
import { GridError } from '#grid/errors.ts'
import { openPlayed } from '#grid/interface/scenario-requests.ts'
import { appendRecords, type NewRecords } from '#grid/records/records.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { worldFormat } from '#grid/step/resume.ts'
import type { FieldOctets } from '#grid/step/step-context.ts'
import { type RecordChunk, splitRecords } from '../storage/record-chunks.ts'
import { maximumCommands, maximumField, type SessionRow, type SimulationStore } from '../storage/simulation.ts'
import {
  beginState,
  issueCommands,
  keepRecords,
  noPending,
  noRecords,
  restoreState,
  resumeState,
} from './session-state.ts'

/** Steps between two snapshots: ten seconds of simulated time. */
export const snapshotSteps = 100

/** Frames that a snapshot writes: 20 ms. A large grid with PMUs comes to them in a second. */
const mostPending = 2_000

/** A command without its step, which the session adds. */
export type CommandBody = Command extends infer One ? (One extends Command ? Omit<One, 'step'> : never) : never

/** Takes what one step produced, with the number that its first incident has in the life of the session. */
export type Publish = (output: StepOutput, firstNumber: number) => void

/** The session of one object. */
export type SimulationSession = ReturnType<typeof openSession>

/** Opens the session of the tables at the step that it had reached, or the first one, unwritten until it is used. */
export function openSession(store: SimulationStore, nowMs: number) {
  const row = store.readSession()
  let state = row === undefined ? beginState(defaultConfiguration, nowMs) : restoreState(store, row)
  let failedStep: number | undefined
  let isForgotten = false

  function expectExisting(): void {
    if (!isForgotten) return
    throw new GridError('not_found', 'Not found: the simulation was deleted', {
      hint: 'GET /api/v1/simulations lists those that exist',
    })
  }

  function create(configuration: Configuration, createdMs: number): void {
    state = beginState(configuration, createdMs, state.session.speed)
    isForgotten = false
    store.together(() => {
      store.clear()
      store.writeSession(state.session)
    })
  }

  /** Begins a session that plays a scenario; throws `invalid_request` where it has mistakes. */
  function play(value: unknown, createdMs: number): void {
    const scenario = openPlayed(value)
    create(scenario.session.configuration, createdMs)
    store.writeScenario(value)
    state.scenario = scenario
  }

  /** Computes the next step. A failed one leaves half a world: the log is computed again, or a new world begins. */
  function stepOrRecover(): StepOutput {
    const at = state.world.step
    try {
      return step(state.world, state.outside)
    } catch (error) {
      state = restoreState(store, { ...state.session, step: at }, state.outside)
      if (failedStep === at) state.world = resumeState(store, state, at)
      failedStep = at
      throw error
    }
  }

  /** Computes one step; `session.step` is written first, so that after a crash no step is missing that was shown. */
  function runStep(publish: Publish): boolean {
    if (state.world.step >= state.session.step) {
      state.session = { ...state.session, step: state.world.step + stepsPerSecond }
      store.writeProgress(state.session.step, state.session.activeMs)
    }
    for (const next of issueCommands(state, state.world.step + 1)) log(next)
    const firstNumber = state.records.incidents.pushed + 1
    const output = stepOrRecover()
    state.outside = noPending()
    keepRecords(state, output)
    publish(output, firstNumber)
    const { world, scenario, session, pending } = state
    if (world.step === scenario?.session.steps && session.run === 'running') {
      state.session = { ...session, run: 'stopped' }
      save()
    } else if (world.step % snapshotSteps === 0 || pending.frames.length > mostPending) save()
    return output.incidents.length + output.events.length > 0
  }

  function save(): void {
    // The frames of masters from outside belong to the next step, so the world that has counted them is not whole.
    if (state.outside.drafts.length > 0) {
      store.writeSession(state.session)
      return
    }
    // The configuration, which may hold a network, is in the row of the session.
    const { configuration: _, ...world } = state.world
    store.together(() => {
      store.writeSnapshot({ step: world.step, format: worldFormat, world: JSON.stringify(world) })
      store.appendChunks(doAtOnce(splitRecords(state.pending)))
      const { session } = state
      if (session.step > world.step && session.run !== 'running') state.session = { ...session, step: world.step }
      store.writeSession(state.session)
    })
    state.pending = noRecords()
  }

  function command(body: CommandBody): Command {
    expectExisting()
    const isOrder = body.kind !== 'disable' && body.kind !== 'clock'
    if (isOrder && state.commands.length >= maximumCommands) {
      throw new GridError('too_many', `Cannot take the order: the session holds ${maximumCommands} commands already`, {
        hint: 'Start a new session: POST /api/v1/sim/reset',
      })
    }
    const logged = { ...body, step: state.world.step } as Command // CommandBody is a Command without exactly this field
    log(logged)
    return logged
  }

  function log(command: Command): void {
    const { commands, session, world } = state
    if (commands.length === 0) store.writeSession(session)
    store.appendCommand(commands.length + 1, command)
    commands.push(command)
    applyCommand(world, command)
  }

  /** Applies what a master from outside did and logs it; throws `too_many` when the log is full. */
  function field(
    event: FieldEntry['event'],
    known: number | undefined,
    sinceUs: number,
  ): { readonly entry: FieldEntry; readonly octets: readonly FieldOctets[] } {
    expectExisting()
    const { world, outside, session } = state
    const number = world.field.applied + 1
    if (number > maximumField) {
      throw new GridError('too_many', `Cannot go on: the session holds ${maximumField} entries of the field already`, {
        hint: 'Start a new session: POST /api/v1/sim/reset',
      })
    }
    const connection = known ?? number
    // What comes after an answer has a later time than that answer.
    const startUs = worldTimeUs(world)
    const last = outside.drafts.at(-1)?.timeUs ?? startUs
    const atUs = Math.max(sinceUs, Math.min(last - startUs + 50, 10 * stepUs))
    const entry = { number, step: world.step, commands: world.commandsApplied, atUs, connection, event }
    if (number === 1) store.writeSession(session)
    store.appendField(entry)
    return { entry, octets: applyField(world, entry, outside) }
  }

  return {
    session: () => state.session,
    world: () => state.world,
    records: () => state.records,
    commands: (): readonly Command[] => state.commands,
    /** The scenario that the session plays; null without one. */
    scenario: () => state.scenario,
    /** Replaces the session by a new one. */
    create,
    /** Replaces it by one that plays a scenario, which is kept as it was written. */
    play,
    /** Begins a session in memory only, for a simulation that is deleted: until `create` nothing can be written. */
    forget(now: number) {
      state = beginState(defaultConfiguration, now)
      isForgotten = true
    },
    /** True when the simulation was deleted and not created again. */
    isForgotten: () => isForgotten,
    /** Throws `not_found` for a simulation that was deleted: a request that was on its way must not bring it back. */
    expectExisting,
    write(change: Partial<SessionRow>) {
      expectExisting()
      state.session = { ...state.session, ...change }
      store.writeSession(state.session)
    },
    /** Remembers the moment of a request or a listener; on disk with the next write. */
    touch(now: number) {
      state.session = { ...state.session, activeMs: now }
    },
    /** Computes and publishes one step; true when listeners have something to read. */
    runStep,
    field,
    fieldLog: () => store.readField(0),
    /** The numbers of the connections from outside that the world has. */
    fieldConnections: (): readonly number[] =>
      Object.values(state.world.connections).flatMap(({ id, isField }) =>
        isField === true ? [Number(id.split('#')[1])] : [],
      ),
    /** Applies a command and logs it; throws `too_many` for an order when the log is full. */
    command,
    save,
    /** Adds records that the engine did not make, and that were split into rows. */
    append(added: NewRecords, chunks: readonly RecordChunk[]) {
      // Disk first: records that could not be written must not be shown.
      store.appendChunks(chunks)
      appendRecords(state.records, added)
    },
  }
}
