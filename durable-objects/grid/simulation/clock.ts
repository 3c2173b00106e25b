/** The clock of a simulation: the timers that check which steps are due, and the pause without a listener. */

import { catchUpSteps, untilStep } from '#grid/step/step-schedule.ts'
import type { Pace } from './pace.ts'
import type { SimulationSession } from './session.ts'
import type { Stepper } from './stepper.ts'

/** Milliseconds between two checks of the clock, with listeners and without. */
const watchedMs = 100
const unwatchedMs = 1_000

/** Milliseconds after which the platform wakes an object that should be running. */
const heartbeatMs = 15_000

/** The parts of a simulation that its clock drives. */
interface ClockParts {
  readonly session: SimulationSession
  readonly pace: Pace
  readonly stepper: Stepper
  /** The numbers of listeners: of the object itself, and with those behind relays. */
  readonly watchers: Readonly<Record<'direct' | 'all', () => number>>
  /** Outlive the process, unlike timers. */
  readonly alarms: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>
}

/** Opens the clock of a simulation; it does nothing until `touch` or `start`. */
export function openClock({ session, pace, stepper, watchers, alarms }: ClockParts) {
  const row = session.session
  let timer: ReturnType<typeof setTimeout> | undefined

  /** A second, or less at a high speed: no more steps may be due by then than are caught up. */
  function unwatchedDelay(): number {
    return Math.min(unwatchedMs, untilStep(row(), session.world().step + catchUpSteps / 2, Date.now()))
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
      await stepper.advance(Math.min(now, pauseMs()))
      pauseIfUnwatched(now)
      // A simulation that was deleted in the meantime must not set an alarm.
      const isRunning = row().run === 'running'
      if (isRunning && (await alarms.getAlarm()) === null) await alarms.setAlarm(now + heartbeatMs)
    } finally {
      const nextMs = untilStep(row(), session.world().step + 1, Date.now())
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
    pace.setRun('paused', now)
  }

  return {
    /** Wakes the simulation for an authorised request and postpones its pause; returns the Unix time in ms. */
    touch(): number {
      const now = Date.now()
      session.touch(now)
      pace.wake(now)
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
  }
}
