/** A session that an outside simulator feeds: its state in memory and in its table. */

import type { ExternalState } from '#grid/interface/external.ts'
import type { SimulationStore } from '../storage/simulation.ts'
import type { SimulationSession } from './session.ts'
import type { Publish } from './session-step.ts'

/** A session that an outside simulator feeds. Only `writeExternal`, the ingestion of records and the end of the session change its state. */
export interface ExternalSession {
  readonly store: SimulationStore
  readonly session: SimulationSession
  readonly publish: Publish
  state: ExternalState
}

/** Writes a state, which memory has once the disk has it. */
export function writeExternal(external: ExternalSession, next: ExternalState): void {
  external.store.writeExternal(next)
  external.state = next
}
