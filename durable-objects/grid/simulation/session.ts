/** The session of one object: created or restored from its tables, stepped, commanded, saved. */

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
import { createWorld, readWorld, replay, type StepOutput, step, type World, worldTimeUs } from '#grid/engine.ts'
import { GridError } from '#grid/errors.ts'
import { openPlayed } from '#grid/interface/scenario-requests.ts'
import { appendRecords, countForgotten, createRecords, type NewRecords, type Records } from '#grid/records/records.ts'
import type { CheckedScenario } from '#grid/scenario/session.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { resumeWorld, worldFormat } from '#grid/step/resume.ts'
import type { FieldOctets, Pending } from '#grid/step/step-context.ts'
import type { IncidentRecord, PacketRecord, PacketSummary } from '#grid/types.ts'
import { type RecordChunk, splitRecords } from '../storage/record-chunks.ts'
import { maximumCommands, maximumField, type SessionRow, type SimulationStore } from '../storage/simulation.ts'

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
  let session: SessionRow
  let world: World
  let records: Records
  let commands: Command[]
  /** Records since the last snapshot; the next one writes them. */
  let pending = noRecords()
  /** The frames of what masters from outside did since the last step. */
  let outside = noPending()
  let failedStep: number | undefined
  let isForgotten = false
  let scenario: CheckedScenario | null = null
  /** Commands of the scenario that are in the log. */
  let issued = 0

  function expectExisting(): void {
    if (!isForgotten) return
    throw new GridError('not_found', 'Not found: the simulation was deleted', {
      hint: 'GET /api/v1/simulations lists those that exist',
    })
  }

  /** Begins a session in memory; the first write to it creates its row. */
  function begin(configuration: Configuration, createdMs: number): void {
    session = {
      sessionId: crypto.randomUUID(),
      createdMs,
      configuration,
      run: 'new',
      step: 0,
      anchorMs: createdMs,
      anchorStep: 0,
      speed: session?.speed ?? 1,
      activeMs: createdMs,
    }
    world = createWorld(configuration)
    records = createRecords()
    commands = []
    scenario = null
    issued = 0
    pending = noRecords()
    outside = noPending()
  }

  function create(configuration: Configuration, createdMs: number): void {
    begin(configuration, createdMs)
    isForgotten = false
    store.together(() => {
      store.clear()
      store.writeSession(session)
    })
  }

  /** Begins a session that plays a scenario; throws `invalid_request` where it has mistakes. */
  function play(value: unknown, createdMs: number): void {
    const checked = openPlayed(value)
    create(checked.session.configuration, createdMs)
    store.writeScenario(value)
    scenario = checked
  }

  /** Logs the commands of the scenario that come before a step, each at its own step. */
  function issue(beforeStep: number, take: (command: Command) => void): void {
    for (;;) {
      const next = scenario?.session.commands[issued]
      if (next === undefined || next.step >= beforeStep) return
      issued += 1
      take(next)
    }
  }

  /** Loads the snapshot and computes the later steps again: the same seed and commands give the same bytes. */
  function restore(row: SessionRow): void {
    session = row
    commands = store.readCommands()
    restoreScenario(row.step)
    records = createRecords()
    for (const chunk of store.readChunks()) appendRecords(records, chunk)
    countForgotten(records, store.readForgotten())
    try {
      world = loadWorld(row)
      const steps = replay(world, { commands, field: store.readField(world.field.applied) }, row.step)
      let next = steps.next()
      for (; next.done !== true; next = steps.next()) keep(next.value)
      outside = next.value
    } catch (error) {
      // A session must open even when its world cannot be read: its records and configuration are still good.
      console.error('Cannot restore the world of a session: resumed without it', error)
      pending = noRecords()
      world = resume(row.step)
    }
  }

  /** A step may have been announced and not computed: what the scenario has in it was not logged then. */
  function restoreScenario(step: number): void {
    const value = store.readScenario()
    if (value === undefined) return
    try {
      scenario = openPlayed(value)
    } catch {
      // A session must open even when its scenario is not one any more: it goes on without it.
      return
    }
    const plan = scenario.session.commands.map((one) => JSON.stringify(one))
    for (const one of commands) if (JSON.stringify(one) === plan[issued]) issued += 1
    issue(step, (one) => {
      store.appendCommand(commands.length + 1, one)
      commands.push(one)
    })
  }

  function loadWorld({ configuration }: SessionRow): World {
    const snapshot = store.readSnapshot()
    if (snapshot === undefined) return createWorld(configuration)
    const { step, format } = snapshot
    if (format !== worldFormat) return resume(step)
    const { configuration: _, ...state } = readWorld(snapshot.world)
    // First, as in a world that was never stored: the text of both is the same.
    return { configuration, ...state }
  }

  function resume(atStep: number): World {
    const { configuration } = session
    const fieldApplied = store.countField(atStep)
    return resumeWorld(configuration, commands, { step: atStep, lastFrameNo: lastFrameNo(), fieldApplied })
  }

  function lastFrameNo(): number {
    const { items, start } = records.frames
    return items[(start + items.length - 1) % items.length]?.frameNo ?? 0
  }

  function keep(output: StepOutput): void {
    appendRecords(records, output)
    pending.incidents.push(...output.incidents)
    pending.packets.push(...output.packets)
    pending.frames.push(...output.frames)
  }

  /** Computes the next step. A failed one leaves half a world: the log is computed again, or a new world begins. */
  function stepOrRecover(): StepOutput {
    const at = world.step
    try {
      return step(world, outside)
    } catch (error) {
      pending = noRecords()
      restore({ ...session, step: at })
      if (failedStep === at) world = resume(at)
      failedStep = at
      throw error
    }
  }

  /** Computes one step; `session.step` is written first, so that after a crash no step is missing that was shown. */
  function runStep(publish: Publish): boolean {
    if (world.step >= session.step) {
      session = { ...session, step: world.step + stepsPerSecond }
      store.writeProgress(session.step, session.activeMs)
    }
    issue(world.step + 1, log)
    const firstNumber = records.incidents.pushed + 1
    const output = stepOrRecover()
    outside = noPending()
    keep(output)
    publish(output, firstNumber)
    if (world.step === scenario?.session.steps && session.run === 'running') {
      session = { ...session, run: 'stopped' }
      save()
    } else if (world.step % snapshotSteps === 0 || pending.frames.length > mostPending) save()
    return output.incidents.length + output.events.length > 0
  }

  function save(): void {
    // The frames of masters from outside belong to the next step, so the world that has counted them is not whole.
    if (outside.drafts.length > 0) {
      store.writeSession(session)
      return
    }
    // The configuration, which may hold a network, is in the row of the session.
    const { configuration: _, ...state } = world
    store.together(() => {
      store.writeSnapshot({ step: world.step, format: worldFormat, world: JSON.stringify(state) })
      store.appendChunks(doAtOnce(splitRecords(pending)))
      if (session.step > world.step && session.run !== 'running') {
        session = { ...session, step: world.step }
      }
      store.writeSession(session)
    })
    pending = noRecords()
  }

  function command(body: CommandBody): Command {
    expectExisting()
    const isOrder = body.kind !== 'disable' && body.kind !== 'clock'
    if (isOrder && commands.length >= maximumCommands) {
      throw new GridError('too_many', `Cannot take the order: the session holds ${maximumCommands} commands already`, {
        hint: 'Start a new session: POST /api/v1/sim/reset',
      })
    }
    const logged = { ...body, step: world.step } as Command // CommandBody is a Command without exactly this field
    log(logged)
    return logged
  }

  function log(command: Command): void {
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

  const row = store.readSession()
  if (row === undefined) begin(defaultConfiguration, nowMs)
  else restore(row)

  return {
    session: () => session,
    world: () => world,
    records: () => records,
    commands: (): readonly Command[] => commands,
    /** Replaces the session by a new one. */
    create,
    /** Replaces it by one that plays a scenario, which is kept as it was written. */
    play,
    /** The scenario that the session plays; null without one. */
    scenario: () => scenario,
    /** Begins a session in memory only, for a simulation that is deleted: until `create` nothing can be written. */
    forget(now: number) {
      begin(defaultConfiguration, now)
      session = { ...session, speed: 1 }
      isForgotten = true
    },
    /** True when the simulation was deleted and not created again. */
    isForgotten: () => isForgotten,
    /** Throws `not_found` for a simulation that was deleted: a request that was on its way must not bring it back. */
    expectExisting,
    write(change: Partial<SessionRow>) {
      expectExisting()
      session = { ...session, ...change }
      store.writeSession(session)
    },
    /** Remembers the moment of a request or a listener; on disk with the next write. */
    touch(now: number) {
      session = { ...session, activeMs: now }
    },
    /** Computes and publishes one step; true when listeners have something to read. */
    runStep,
    field,
    fieldLog: () => store.readField(0),
    /** The numbers of the connections from outside that the world has. */
    fieldConnections: (): readonly number[] =>
      Object.values(world.connections).flatMap(({ id, isField }) =>
        isField === true ? [Number(id.split('#')[1])] : [],
      ),
    /** Applies a command and logs it; throws `too_many` for an order when the log is full. */
    command,
    save,
    /** Adds records that the engine did not make, and that were split into rows. */
    append(added: NewRecords, chunks: readonly RecordChunk[]) {
      // Disk first: records that could not be written must not be shown.
      store.appendChunks(chunks)
      appendRecords(records, added)
    },
  }
}

function noPending(): Pending {
  return { drafts: [], events: [] }
}

function noRecords(): { incidents: IncidentRecord[]; packets: PacketSummary[]; frames: PacketRecord[] } {
  return { incidents: [], packets: [], frames: [] }
}
