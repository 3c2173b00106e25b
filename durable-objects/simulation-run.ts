/** One session as it runs: restored from its tables, stepped by the clock, commanded from outside, saved as it goes. */

import {
  type Command,
  type Configuration,
  defaultConfiguration,
  stepsPerSecond,
} from '../src/grid/configuration.ts'
import {
  applyCommand,
  createWorld,
  type StepOutput,
  step,
  type World,
  worldTimeUs,
} from '../src/grid/engine.ts'
import { GridError } from '../src/grid/errors.ts'
import { catchUpSteps, dueStep, planCatchUp } from '../src/grid/pace.ts'
import { appendRecords, createRecords, type NewRecords, type Records } from '../src/grid/records.ts'
import {
  maximumCommands,
  type RunState,
  type SessionRow,
  type SimulationStore,
} from './storage/simulation.ts'

/** Steps between two snapshots: ten seconds of simulated time. */
export const snapshotSteps = 100

/** Steps after which a long catch-up lets other events in. */
const yieldSteps = 25

/** A command without its step, which the session adds. */
export type CommandBody = Command extends infer One
  ? One extends Command
    ? Omit<One, 'step'>
    : never
  : never

/** What one step produced, with the number that its first incident has in the life of the session. */
export type Publish = (output: StepOutput, firstNumber: number) => void

/** The session of one object. */
export interface SimulationRun {
  readonly session: () => SessionRow
  readonly world: () => World
  readonly records: () => Records
  readonly commands: () => readonly Command[]
  /** Starts a session that is new or paused; a stopped one stays so. */
  readonly wake: (nowMs: number) => void
  readonly setRun: (run: RunState, nowMs: number) => void
  readonly setSpeed: (speed: number, nowMs: number) => void
  /** Remembers that somebody asked or listens. */
  readonly touch: (nowMs: number) => void
  /** Computes every step that is due, letting other events in between; jumps over a distance too long. */
  readonly advance: (nowMs: number) => Promise<void>
  /** Computes the steps of the last moments at once, so that a command falls where it was given. */
  readonly advanceNow: (nowMs: number) => void
  readonly stepBy: (steps: number) => void
  readonly command: (body: CommandBody) => Command
  /** Replaces the session by a new one. */
  readonly reset: (configuration: Configuration, nowMs: number) => void
  readonly save: () => void
  /** Adds records that the engine did not make. */
  readonly append: (records: NewRecords) => void
}

/** Opens the session in the tables, or makes the first one; restores it to the very step that it had reached. */
export function openSimulationRun(store: SimulationStore, publish: Publish, nowMs: number): SimulationRun {
  let session: SessionRow
  let world: World
  let records: Records
  let commands: Command[]
  let pending: {
    incidents: NewRecords['incidents'][number][]
    packets: NewRecords['packets'][number][]
    frames: NewRecords['frames'][number][]
  }
  let advancing: Promise<void> | undefined

  function create(configuration: Configuration, createdMs: number): void {
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
    pending = { incidents: [], packets: [], frames: [] }
    store.together(() => {
      store.clear()
      store.writeSession(session)
    })
  }

  /** Loads the snapshot and computes again what came after it: the same seed and commands give the same bytes. */
  function restore(row: SessionRow): void {
    session = row
    commands = store.readCommands()
    records = createRecords()
    pending = { incidents: [], packets: [], frames: [] }
    const snapshot = store.readSnapshot()
    world = snapshot === undefined ? createWorld(row.configuration) : (JSON.parse(snapshot) as World) // written by save alone
    for (const chunk of store.readChunks()) appendRecords(records, chunk)
    let next = world.commandsApplied
    for (;;) {
      for (let due = commands[next]; due !== undefined && due.step <= world.step; due = commands[++next]) {
        applyCommand(world, due)
      }
      if (world.step >= row.step) return
      keep(step(world))
    }
  }

  function keep(output: StepOutput): void {
    appendRecords(records, output)
    pending.incidents.push(...output.incidents)
    pending.packets.push(...output.packets)
    pending.frames.push(...output.frames)
  }

  function write(change: Partial<SessionRow>): void {
    session = { ...session, ...change }
    store.writeSession(session)
  }

  /** One step, with the promise of it on disk first: after a crash the engine computes at least as far as it showed. */
  function runStep(): boolean {
    if (world.step >= session.step) {
      session = { ...session, step: world.step + stepsPerSecond }
      store.writeProgress(session.step, session.activeMs)
    }
    const firstNumber = records.incidents.pushed + 1
    const output = step(world)
    keep(output)
    publish(output, firstNumber)
    if (world.step % snapshotSteps === 0) save()
    return output.incidents.length + output.events.length > 0
  }

  function save(): void {
    store.together(() => {
      store.writeSnapshot(world.step, JSON.stringify(world))
      store.appendChunks(pending)
      if (session.step > world.step && session.run !== 'running') {
        session = { ...session, step: world.step }
      }
      store.writeSession(session)
    })
    pending = { incidents: [], packets: [], frames: [] }
  }

  function command(body: CommandBody): Command {
    if (commands.length >= maximumCommands) {
      throw new GridError(
        'too_many',
        `Cannot take the command: the session holds ${maximumCommands} already`,
        {
          hint: 'Start a new session: POST /api/v1/sim/reset',
        },
      )
    }
    const logged = { ...body, step: world.step } as Command // CommandBody is a Command without exactly this field
    store.appendCommand(commands.length + 1, logged)
    commands.push(logged)
    applyCommand(world, logged)
    return logged
  }

  /** Sets the pace to begin now; a session with a clock of its own keeps it, others take the wall's. */
  function anchor(now: number, reason: 'start' | 'resume' | 'gap', change: Partial<SessionRow> = {}): void {
    const { start_time } = session.configuration
    if (start_time === null) {
      // Never backwards: at a speed above 1 the simulation's clock is ahead of the wall's.
      const timeUs = Math.max(now * 1000, reason === 'start' ? 0 : worldTimeUs(world))
      command({ kind: 'clock', timeUs, reason })
    } else if (reason === 'start') {
      command({ kind: 'clock', timeUs: start_time * 1_000_000, reason })
    }
    write({ anchorMs: now, anchorStep: world.step, activeMs: now, ...change })
  }

  /** Whether the session's clock was ever set; until then it stands at its beginning. */
  function hasClock(): boolean {
    return commands.some(({ kind }) => kind === 'clock')
  }

  function setRun(run: RunState, now: number): void {
    if (run === session.run) return
    if (run === 'running') {
      anchor(now, hasClock() ? 'resume' : 'start', { run })
      return
    }
    write({ run })
    if (world.step > 0) save()
  }

  function jumpIfFar(now: number): void {
    if (planCatchUp(dueStep(session, now) - world.step) === 'jump') anchor(now, 'gap')
  }

  async function runDue(now: number): Promise<void> {
    jumpIfFar(now)
    let sinceYield = 0
    while (session.run === 'running' && world.step < dueStep(session, now)) {
      const hasNews = runStep()
      sinceYield += 1
      // Readers take what they were offered only between events, so news and long walks make room for them.
      if (hasNews || sinceYield >= yieldSteps) {
        sinceYield = 0
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
    }
  }

  const row = store.readSession()
  if (row === undefined) create(defaultConfiguration, nowMs)
  else restore(row)

  return {
    session: () => session,
    world: () => world,
    records: () => records,
    commands: () => commands,
    wake(now) {
      if (session.configuration.mode === 'embedded' && (session.run === 'new' || session.run === 'paused')) {
        setRun('running', now)
      }
    },
    setRun,
    setSpeed(speed, now) {
      write({ speed, anchorMs: now, anchorStep: world.step })
    },
    touch(now) {
      session = { ...session, activeMs: now }
    },
    advance(now) {
      advancing ??= runDue(now).finally(() => {
        advancing = undefined
      })
      return advancing
    },
    advanceNow(now) {
      if (session.run !== 'running') return
      jumpIfFar(now)
      const due = Math.min(dueStep(session, now), world.step + yieldSteps)
      while (world.step < due) runStep()
    },
    stepBy(steps) {
      if (!hasClock()) anchor(Date.now(), 'start', { run: 'stopped' })
      for (let count = 0; count < Math.min(steps, catchUpSteps); count++) runStep()
      save()
    },
    command,
    reset(configuration, now) {
      create(configuration, now)
    },
    save,
    append(added) {
      appendRecords(records, added)
      store.appendChunks(added)
    },
  }
}
