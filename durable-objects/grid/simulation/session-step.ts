/** The steps of a session: computed, published, and saved in snapshots. */

import { doAtOnce } from '#base/slices.ts'
import { stepsPerSecond } from '#grid/configuration.ts'
import { type StepOutput, step } from '#grid/engine.ts'
import { worldFormat } from '#grid/step/resume.ts'
import { splitRecords } from '../storage/record-chunks.ts'
import { logCommand } from './session-log.ts'
import {
  issueCommands,
  keepRecords,
  type LiveSession,
  noPending,
  noRecords,
  restoreState,
  resumeState,
} from './session-state.ts'

/** Steps between two snapshots: ten seconds of simulated time. */
export const snapshotSteps = 100

/** Frames that a snapshot writes: 20 ms. A large grid with PMUs comes to them in a second. */
const mostPending = 2_000

/** Takes what one step produced, with the number that its first incident has in the life of the session. */
export type Publish = (output: StepOutput, firstNumber: number) => void

/**
 * Computes and publishes one step. `session.step` is written first, so that after a crash no step is missing that was
 * shown.
 *
 * @returns true when listeners have something to read.
 */
export function runStep(live: LiveSession, publish: Publish): boolean {
  const { state } = live
  announceStep(live)
  for (const command of issueCommands(state, state.world.step + 1)) logCommand(live, command)
  const firstNumber = state.records.incidents.pushed + 1
  const output = stepOrRecover(live)
  state.outside = noPending()
  keepRecords(state, output)
  publish(output, firstNumber)
  saveIfDue(live)
  return output.incidents.length + output.events.length > 0
}

/** Writes the step that the engine may reach within the next second, once in that second. */
function announceStep({ state, store }: LiveSession): void {
  const { world, session } = state
  if (world.step < session.step) return
  state.session = { ...session, step: world.step + stepsPerSecond }
  store.writeProgress(state.session.step, session.activeMs)
}

/** Computes the next step. A failed one leaves half a world: the log is computed again, or a new world begins. */
function stepOrRecover(live: LiveSession): StepOutput {
  const at = live.state.world.step
  try {
    return step(live.state.world, live.state.outside)
  } catch (error) {
    const { store, state } = live
    live.state = restoreState(store, { ...state.session, step: at }, state.outside)
    if (live.failedStep === at) live.state.world = resumeState(store, live.state, at)
    live.failedStep = at
    throw error
  }
}

/** Stops a scenario at its end, and saves the session there and at the steps of snapshots. */
function saveIfDue(live: LiveSession): void {
  const { state } = live
  const { world, scenario, session, pending } = state
  if (world.step === scenario?.session.steps && session.run === 'running') {
    state.session = { ...session, run: 'stopped' }
    saveSession(live)
  } else if (world.step % snapshotSteps === 0 || pending.frames.length > mostPending) saveSession(live)
}

/** Writes the session, with its world and the records since the last snapshot where the world is whole. */
export function saveSession({ store, state }: LiveSession): void {
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
