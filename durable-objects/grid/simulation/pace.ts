/** The pace of a session: its run state, its speed, and the anchor that ties its steps to the wall clock. */

import { stepsPerSecond, stepUs } from '#grid/configuration.ts'
import { worldTimeUs } from '#grid/engine.ts'
import type { RunState } from '#grid/interface/session-view.ts'
import { catchUpSteps, dueStep } from '#grid/step/step-schedule.ts'
import type { SessionRow } from '../storage/session-tables.ts'
import type { SimulationSession } from './session.ts'

/** The pace of a session. */
export type Pace = ReturnType<typeof openPace>

/** Opens the pace that the session has stored. */
export function openPace(session: SimulationSession) {
  const { world, commands, command, save, write } = session
  const row = session.session

  /** Anchors the pace at `now`; a session with a `start_time` keeps its own clock, others take the wall clock. */
  function anchor(now: number, reason: 'start' | 'resume' | 'gap', change: Partial<SessionRow> = {}): void {
    const { start_time } = row().configuration
    if (start_time === null) {
      // Never backwards: at a speed above 1 the simulation's clock is ahead of the wall clock.
      const timeUs = Math.max(now * 1000, reason === 'start' ? 0 : worldTimeUs(world()))
      command({ kind: 'clock', timeUs, reason })
    } else if (reason === 'start') {
      command({ kind: 'clock', timeUs: start_time * 1_000_000, reason })
    }
    // A jump is not a request, so it does not put off the pause.
    const active = reason === 'gap' ? {} : { activeMs: now }
    write({ anchorMs: now, anchorStep: world().step, ...active, ...change })
  }

  const hasClock = () => commands().some(({ kind }) => kind === 'clock')

  function setRun(run: RunState, now: number): void {
    if (run === row().run) return
    if (run === 'running') {
      anchor(now, hasClock() ? 'resume' : 'start', { run })
      return
    }
    write({ run })
    if (world().step > 0) save()
  }

  return {
    setRun,
    setSpeed(speed: number, now: number) {
      write({ speed, anchorMs: now, anchorStep: world().step })
    },
    /** Starts a session that is new or paused; a stopped one stays stopped. */
    wake(now: number): void {
      if (session.isForgotten()) return
      const { run, configuration } = row()
      if (configuration.mode === 'embedded' && (run === 'new' || run === 'paused')) setRun('running', now)
    },
    /** Gives a new session its clock without starting it, for steps by hand. */
    startStopped(now: number): void {
      if (!hasClock()) anchor(now, 'start', { run: 'stopped' })
    },
    /** Jumps over a gap that has more steps than are caught up. */
    jumpIfFar(now: number): void {
      if (dueStep(row(), now) - world().step > catchUpSteps) anchor(now, 'gap')
    },
    /** Microseconds of the next step that have passed by now; 0 while the clock rests. */
    sinceStepUs(now: number): number {
      const { anchorMs, anchorStep, speed, run } = row()
      if (run !== 'running') return 0
      const steps = anchorStep + ((now - anchorMs) * speed * stepsPerSecond) / 1000 - world().step
      // Below a whole step: what comes later belongs to a step that is late.
      return Math.floor(Math.min(0.99, Math.max(0, steps)) * stepUs)
    },
  }
}
