/** The steps of a session that are due or asked for: caught up in slices, a few at once, or by hand. */

import type { Sliced } from '#base/slices.ts'
import { catchUpSteps, dueStep } from '#grid/step/step-schedule.ts'
import { pause } from '../../base/pause.ts'
import type { Pace } from './pace.ts'
import type { SimulationSession } from './session.ts'
import type { Publish } from './session-step.ts'

/** Steps after which a long catch-up, or many steps by hand, let other events run: 20 ms of case118. */
const yieldSteps = 3

/** Most late steps that are computed before an order is carried out: 100 ms of case118. */
const orderSteps = 15

/** Computes the steps of a session. */
export type Stepper = ReturnType<typeof openStepper>

/** Opens a stepper, which computes nothing until it is called. */
export function openStepper(session: SimulationSession, pace: Pace, publish: Publish) {
  const { world } = session
  const row = session.session
  let advancing: Promise<void> | undefined

  async function runDue(now: number): Promise<void> {
    // The check may have been planned before a stop.
    if (row().run !== 'running') return
    pace.jumpIfFar(now)
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

  return {
    /** Computes every step that is due, yielding to other events; jumps when too many are due. */
    advance(now: number): Promise<void> {
      advancing ??= runDue(now).finally(() => {
        advancing = undefined
      })
      return advancing
    },
    /** Computes at most 15 due steps without yielding, so that a command acts at the step of its request. */
    advanceNow(now: number) {
      if (row().run !== 'running') return
      pace.jumpIfFar(now)
      const due = Math.min(dueStep(row(), now), world().step + orderSteps)
      // A scenario may end in between.
      while (row().run === 'running' && world().step < due) session.runStep(publish)
    },
    /** Computes steps by hand, at most a minute of them, in slices. */
    *stepBy(steps: number): Sliced<void> {
      pace.startStopped(Date.now())
      const { sessionId, run } = row()
      const isOurs = () => row().sessionId === sessionId && row().run === run
      for (let count = 1; count <= Math.min(steps, catchUpSteps) && isOurs(); count++) {
        session.runStep(publish)
        if (count % yieldSteps === 0) yield
      }
      if (isOurs()) session.save()
    },
  }
}
