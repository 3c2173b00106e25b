/** When a simulation looks at the clock: often while somebody listens, seldom while nobody does, then not at all. */

import { untilNextStep } from '../../../src/grid/step/step-schedule.ts'
import type { SimulationRun } from './run.ts'

/** Milliseconds between two looks at the clock while somebody listens, and while nobody does. */
const watchedMs = 100
const unwatchedMs = 1_000

/** Milliseconds after which the platform wakes an object that should be running. */
const heartbeatMs = 15_000

/** The clock of one simulation. */
export interface SimulationClock {
  /** Somebody with a right to it asked: the simulation wakes, and stays awake for a while. Returns the time. */
  readonly touch: () => number
  /** Looks at the clock as soon as it can, where the simulation runs and no look is planned. */
  readonly start: () => void
  /** The same, also where a later look is planned: whoever has just come should not wait for the slow beat. */
  readonly hurry: () => void
  /** Pauses when nobody has asked or listened for long: a simulation that nobody watches costs and shows nothing. */
  readonly pauseIfAlone: (nowMs: number) => void
}

/**
 * Opens the clock of a simulation; it stands still until `touch` or `start`.
 *
 * @param listeners - How many listen to the object itself.
 * @param audience - How many hear it at all, through relays too.
 * @param alarms - The platform's own clock, which outlives the process that holds the timers.
 */
export function openClock(
  run: SimulationRun,
  listeners: () => number,
  audience: () => number,
  alarms: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>,
): SimulationClock {
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(delayMs: number): void {
    if (timer !== undefined || run.session().run !== 'running') return
    timer = setTimeout(() => void tick(), delayMs)
  }

  async function tick(): Promise<void> {
    timer = undefined
    const now = Date.now()
    try {
      if (audience() > 0) run.touch(now)
      // What was due before the pause is computed first, so that a pause begins where it began.
      await run.advance(Math.min(now, idleSince()))
      pauseIfAlone(now)
      // A simulation that was deleted in the meantime must not be woken again.
      const isRunning = run.session().run === 'running'
      if (isRunning && (await alarms.getAlarm()) === null) await alarms.setAlarm(now + heartbeatMs)
    } finally {
      const next = untilNextStep(run.session(), run.world().step, Date.now())
      schedule(audience() > 0 ? Math.min(next, watchedMs) : unwatchedMs)
    }
  }

  /** Milliseconds since the epoch from which on nobody will have watched for long enough; Infinity while somebody does. */
  function idleSince(): number {
    const { activeMs, configuration } = run.session()
    if (audience() > 0 || configuration.auto_pause_s === 0) return Number.POSITIVE_INFINITY
    return activeMs + configuration.auto_pause_s * 1000
  }

  function pauseIfAlone(now: number): void {
    if (run.session().run !== 'running' || now < idleSince()) return
    run.setRun('paused', now)
  }

  return {
    touch() {
      const now = Date.now()
      run.touch(now)
      run.wake(now)
      schedule(listeners() > 0 ? watchedMs : unwatchedMs)
      return now
    },
    start: () => schedule(1),
    hurry() {
      if (timer !== undefined) clearTimeout(timer)
      timer = undefined
      schedule(1)
    },
    pauseIfAlone,
  }
}
