/** A session that an outside simulator feeds: its state in memory and in its table. */

import { type ExternalState, emptyExternal } from '#grid/interface/external.ts'
import type { SimulationStore } from '../storage/simulation.ts'
import type { SimulationSession } from './session.ts'
import type { Publish } from './session-step.ts'

/** A session that an outside simulator feeds. Only `writeExternal` and the ingestion of records change its state. */
export interface ExternalSession {
  readonly store: SimulationStore
  readonly session: SimulationSession
  readonly publish: Publish
  state: ExternalState
}

/** Opens the state of the outside simulator from its table. */
export function openExternalSession(
  store: SimulationStore,
  session: SimulationSession,
  publish: Publish,
): ExternalSession {
  return { store, session, publish, state: store.readExternal() ?? emptyExternal }
}

/** Writes a state, which memory has once the disk has it. */
export function writeExternal(external: ExternalSession, next: ExternalState): void {
  external.store.writeExternal(next)
  external.state = next
}

/** Empties the state in memory; the table is deleted with the object. */
export function forgetExternal(external: ExternalSession): void {
  external.state = emptyExternal
}
