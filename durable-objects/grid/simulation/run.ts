/** A session at the pace of the wall clock: started, paused, caught up, jumped ahead. */

import { type Configuration, defaultConfiguration } from '../../../src/grid/configuration.ts'
import { worldTimeUs } from '../../../src/grid/engine.ts'
import { GridError } from '../../../src/grid/errors.ts'
import { catchUpSteps, dueStep, planCatchUp } from '../../../src/grid/step/step-schedule.ts'
import type { RunState, SessionRow, SimulationStore } from '../storage/simulation.ts'
import { openSimulationSession, type Publish, type SimulationSession } from './session.ts'

/** Steps after which a long catch-up lets other events in. */
const yieldSteps = 25

/** The session of one object, and how it runs. */
export interface SimulationRun extends Omit<SimulationSession, 'write' | 'runStep'> {
  /** Starts a session that is new or paused; a stopped one stays so. */
  readonly wake: (nowMs: number) => void
  readonly setRun: (run: RunState, nowMs: number) => void
  readonly setSpeed: (speed: number, nowMs: number) => void
  /** Computes every step that is due, letting other events in between; jumps over a distance too long. */
  readonly advance: (nowMs: number) => Promise<void>
  /** Computes the steps of the last moments at once, so that a command falls where it was given. */
  readonly advanceNow: (nowMs: number) => void
  readonly stepBy: (steps: number) => void
  /** Replaces the session by a new one. */
  readonly reset: (configuration: Configuration, nowMs: number) => void
  /** Leaves a session that has never been used, and nothing on disk once the tables are gone. */
  readonly forget: (nowMs: number) => void
}

/** Opens the session in the tables, or makes the first one. */
export function openSimulationRun(store: SimulationStore, publish: Publish, nowMs: number): SimulationRun {
  const { create, forget, write, runStep, ...kept } = openSimulationSession(
    store,
    publish,
    defaultConfiguration,
    nowMs,
  )
  const { session, world, commands, command, save } = kept
  let advancing: Promise<void> | undefined

  /** Sets the pace to begin now; a session with a clock of its own keeps it, others take the wall's. */
  function anchor(now: number, reason: 'start' | 'resume' | 'gap', change: Partial<SessionRow> = {}): void {
    const { start_time } = session().configuration
    if (start_time === null) {
      // Never backwards: at a speed above 1 the simulation's clock is ahead of the wall's.
      const timeUs = Math.max(now * 1000, reason === 'start' ? 0 : worldTimeUs(world()))
      command({ kind: 'clock', timeUs, reason })
    } else if (reason === 'start') {
      command({ kind: 'clock', timeUs: start_time * 1_000_000, reason })
    }
    write({ anchorMs: now, anchorStep: world().step, activeMs: now, ...change })
  }

  /** Whether the session's clock was ever set; until then it stands at its beginning. */
  function hasClock(): boolean {
    return commands().some(({ kind }) => kind === 'clock')
  }

  function setRun(run: RunState, now: number): void {
    if (run === session().run) return
    if (run === 'running') {
      anchor(now, hasClock() ? 'resume' : 'start', { run })
      return
    }
    write({ run })
    if (world().step > 0) save()
  }

  function jumpIfFar(now: number): void {
    if (planCatchUp(dueStep(session(), now) - world().step) === 'jump') anchor(now, 'gap')
  }

  async function runDue(now: number): Promise<void> {
    jumpIfFar(now)
    let sinceYield = 0
    while (session().run === 'running' && world().step < dueStep(session(), now)) {
      const hasNews = runStep()
      sinceYield += 1
      // Readers take what they were offered only between events, so news and long walks make room for them.
      if (hasNews || sinceYield >= yieldSteps) {
        sinceYield = 0
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
    }
  }

  return {
    ...kept,
    wake(now) {
      const { run, configuration } = session()
      if (configuration.mode === 'embedded' && (run === 'new' || run === 'paused')) setRun('running', now)
    },
    setRun,
    setSpeed(speed, now) {
      write({ speed, anchorMs: now, anchorStep: world().step })
    },
    advance(now) {
      advancing ??= runDue(now).finally(() => {
        advancing = undefined
      })
      return advancing
    },
    advanceNow(now) {
      if (session().run !== 'running') return
      jumpIfFar(now)
      const due = Math.min(dueStep(session(), now), world().step + yieldSteps)
      while (world().step < due) runStep()
    },
    stepBy(steps) {
      if (!hasClock()) anchor(Date.now(), 'start', { run: 'stopped' })
      for (let count = 0; count < Math.min(steps, catchUpSteps); count++) runStep()
      save()
    },
    reset: create,
    forget,
  }
}

/** Whether an outside simulator drives the session. */
export function isExternal({ session }: SimulationRun): boolean {
  return session().configuration.mode === 'external'
}

/** Refuses with `out_of_order` what the engine here would do, while an outside simulator drives the session. */
export function expectEmbedded(run: SimulationRun, action: string): void {
  if (!isExternal(run)) return
  throw new GridError('out_of_order', `Cannot ${action}: an outside simulator drives this session`, {
    hint: 'POST /api/v1/sim/config {"mode": "embedded"} gives the session back to the engine here',
  })
}
