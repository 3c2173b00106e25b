/** The clock of a session: start, pause, catch-up, jumps over gaps, and the timers that check what is due. */

import type { Sliced } from '#base/slices.ts'
import { stepsPerSecond, stepUs } from '#grid/configuration.ts'
import { worldTimeUs } from '#grid/engine.ts'
import type { RunState } from '#grid/interface/session-view.ts'
import { catchUpSteps, dueStep, isTooFarBehind, untilStep } from '#grid/step/step-schedule.ts'
import { pause } from '../../base/pause.ts'
import type { SessionRow } from '../storage/simulation.ts'
import type { Publish, SimulationSession } from './session.ts'

/** Steps after which a long catch-up, or many steps by hand, let other events run: 20 ms of case118. */
const yieldSteps = 3

/** Most late steps that are computed before an order is carried out: 100 ms of case118. */
const orderSteps = 15

/** Milliseconds between two checks of the clock, with listeners and without. */
const watchedMs = 100
const unwatchedMs = 1_000

/** Milliseconds after which the platform wakes an object that should be running. */
const heartbeatMs = 15_000

/** The numbers of listeners of a simulation. */
export interface Watchers {
  /** Listeners of the object itself. */
  readonly direct: () => number
  /** All listeners, those behind relays too. */
  readonly all: () => number
}

/** Opens the clock of a simulation; it does nothing until `touch` or `start`. `alarms` outlive the process. */
export function openClock(
  session: SimulationSession,
  publish: Publish,
  watchers: Watchers,
  alarms: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>,
) {
  const { world, commands, command, save, write } = session
  const row = session.session
  let advancing: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

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

  function wake(now: number): void {
    if (session.isForgotten()) return
    const { run, configuration } = row()
    if (configuration.mode === 'embedded' && (run === 'new' || run === 'paused')) setRun('running', now)
  }

  function jumpIfFar(now: number): void {
    if (isTooFarBehind(dueStep(row(), now) - world().step)) anchor(now, 'gap')
  }

  async function runDue(now: number): Promise<void> {
    // The check may have been planned before a stop.
    if (row().run !== 'running') return
    jumpIfFar(now)
    let sinceYield = 0
    while (row().run === 'running' && world().step < dueStep(row(), now)) {
      const hasNews = session.runStep(publish)
      sinceYield += 1
      // Readers take events only between turns of the event loop: yield after news and in long catch-ups.
      if (hasNews || sinceYield >= yieldSteps) {
        sinceYield = 0
        await pause()
      }
    }
  }

  function advance(now: number): Promise<void> {
    advancing ??= runDue(now).finally(() => {
      advancing = undefined
    })
    return advancing
  }

  /** A second, or less at a high speed: no more steps may be due by then than are caught up. */
  function unwatchedDelay(): number {
    return Math.min(unwatchedMs, untilStep(row(), world().step + catchUpSteps / 2, Date.now()))
  }

  function schedule(delayMs: number): void {
    if (timer !== undefined || row().run !== 'running') return
    timer = setTimeout(() => void tick(), delayMs)
  }

  async function tick(): Promise<void> {
    timer = undefined
    const now = Date.now()
    try {
      if (watchers.all() > 0) session.touch(now)
      // Compute what was due before the pause first: the pause begins at its own moment, not at this check.
      await advance(Math.min(now, pauseMs()))
      pauseIfUnwatched(now)
      // A simulation that was deleted in the meantime must not set an alarm.
      const isRunning = row().run === 'running'
      if (isRunning && (await alarms.getAlarm()) === null) await alarms.setAlarm(now + heartbeatMs)
    } finally {
      const nextMs = untilStep(row(), world().step + 1, Date.now())
      schedule(watchers.all() > 0 ? Math.min(nextMs, watchedMs) : unwatchedDelay())
    }
  }

  /** The time at which the simulation may pause, in Unix milliseconds; Infinity while there are listeners. */
  function pauseMs(): number {
    const { activeMs, configuration } = row()
    if (watchers.all() > 0 || configuration.auto_pause_s === 0) return Number.POSITIVE_INFINITY
    return activeMs + configuration.auto_pause_s * 1000
  }

  function pauseIfUnwatched(now: number): void {
    if (row().run !== 'running' || now < pauseMs()) return
    setRun('paused', now)
  }

  return {
    /** Wakes the simulation for an authorised request and postpones its pause; returns the Unix time in ms. */
    touch(): number {
      const now = Date.now()
      session.touch(now)
      wake(now)
      schedule(watchers.direct() > 0 ? watchedMs : unwatchedDelay())
      return now
    },
    /** Checks the clock at once, where the simulation runs and no check is planned. */
    start: () => schedule(1),
    /** Checks the clock at once, also where a later check is planned: a new listener must not wait for that. */
    checkNow() {
      if (timer !== undefined) clearTimeout(timer)
      timer = undefined
      schedule(1)
    },
    /** Pauses after `auto_pause_s` without a request or a listener. */
    pauseIfUnwatched,
    /** Starts a session that is new or paused; a stopped one stays stopped. */
    wake,
    setRun,
    setSpeed(speed: number, now: number) {
      write({ speed, anchorMs: now, anchorStep: world().step })
    },
    /** Microseconds of the next step that have passed by now; 0 while the clock rests. */
    sinceStepUs(now: number): number {
      const { anchorMs, anchorStep, speed, run } = row()
      if (run !== 'running') return 0
      const steps = anchorStep + ((now - anchorMs) * speed * stepsPerSecond) / 1000 - world().step
      // Below a whole step: what comes later belongs to a step that is late.
      return Math.floor(Math.min(0.99, Math.max(0, steps)) * stepUs)
    },
    /** Computes every step that is due, yielding to other events; jumps when too many are due. */
    advance,
    /** Computes at most 15 due steps without yielding, so that a command acts at the step of its request. */
    advanceNow(now: number) {
      if (row().run !== 'running') return
      jumpIfFar(now)
      const due = Math.min(dueStep(row(), now), world().step + orderSteps)
      while (world().step < due) session.runStep(publish)
    },
    /** Computes steps by hand, at most a minute of them, in slices. */
    *stepBy(steps: number): Sliced<void> {
      if (!hasClock()) anchor(Date.now(), 'start', { run: 'stopped' })
      const { sessionId, run } = row()
      const isOurs = () => row().sessionId === sessionId && row().run === run
      for (let count = 1; count <= Math.min(steps, catchUpSteps) && isOurs(); count++) {
        session.runStep(publish)
        if (count % yieldSteps === 0) yield
      }
      if (isOurs()) save()
    },
  }
}
