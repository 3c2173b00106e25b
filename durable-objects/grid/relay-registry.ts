/** The relay objects of a simulation: they hold listeners for it, so that it sends each event only a few times. */

import type { EncodedEvent } from '#grid/records/broadcast.ts'
import type { GridEnv } from './env.ts'

/** Milliseconds after which a relay that did not report its listeners is forgotten. */
export const relayTimeoutMs = 90_000

/** Makes an empty set of relays. */
export function openRelayRegistry(env: GridEnv) {
  /** Unix milliseconds of the last report of each relay. */
  const reportedMs = new Map<string, number>()
  return {
    count() {
      const oldestMs = Date.now() - relayTimeoutMs
      for (const [relay, ms] of reportedMs) if (ms < oldestMs) reportedMs.delete(relay)
      return reportedMs.size
    },
    add(relay: string) {
      reportedMs.set(relay, Date.now())
    },
    remove(relay: string) {
      reportedMs.delete(relay)
    },
    closeAll(reason: string) {
      for (const relay of reportedMs.keys()) {
        env.RELAY.getByName(relay)
          .closeAll(reason)
          .catch(() => undefined)
      }
      reportedMs.clear()
    },
    deliver(events: readonly EncodedEvent[]) {
      for (const relay of reportedMs.keys()) {
        // A relay that fails has lost its listeners; it is added again when they reconnect.
        env.RELAY.getByName(relay)
          .deliver(events)
          .catch(() => reportedMs.delete(relay))
      }
    },
  }
}
