/** A session as the interface reads it, made from a few steps: for tests of answers and exports. */

import type { Configuration } from '#grid/configuration.ts'
import { type ExternalState, emptyExternal } from '#grid/interface/external.ts'
import type { SessionFacts, SessionView } from '#grid/interface/session-view.ts'
import { appendRecords, createRecords } from '#grid/records/records.ts'
import type { Stretch } from './grid-session.ts'
import { runSteps, startWorld } from './grid-session.ts'

/** Differences to a stopped session of the default configuration. */
export interface SessionChange {
  readonly configuration?: Partial<Configuration>
  readonly facts?: Partial<SessionFacts>
  readonly external?: Partial<ExternalState>
}

/** The view of a session that computed `steps` steps; created at Unix second 1,000. */
export function sessionView(
  steps: number,
  { configuration = {}, facts = {}, external = {} }: SessionChange = {},
): SessionView & { readonly stretch: Stretch } {
  const world = startWorld(configuration)
  const stretch = runSteps(world, steps)
  const records = createRecords()
  for (const output of stretch.outputs) appendRecords(records, output)
  const session: SessionFacts = {
    sessionId: 'session-1',
    createdMs: 1_000_000,
    configuration: world.configuration,
    run: 'stopped',
    anchorMs: 2_000_000,
    anchorStep: steps,
    speed: 2,
    ...facts,
  }
  const commands = [{ kind: 'load', step: 0, scale: 1 }] as const
  return { session, world, records, commands, field: () => [], external: { ...emptyExternal, ...external }, stretch }
}
