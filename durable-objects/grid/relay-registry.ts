/** The relay objects of a simulation: they hold listeners for it, so that it sends each event only a few times. */

import type { EncodedEvent } from '#grid/records/broadcast.ts'
import type { GridEnv } from './env.ts'

/** Milliseconds after which a relay that did not report its listeners is forgotten. */
export const relayTimeoutMs = 90_000

/** Makes an empty set of relays. */
export function openRelayRegistry(env: GridEnv) {
  const seen = new Map<string, number>()
  return {
    count() {
      const oldest = Date.now() - relayTimeoutMs
      for (const [relay, at] of seen) if (at < oldest) seen.delete(relay)
      return seen.size
    },
    add(relay: string) {
      seen.set(relay, Date.now())
    },
    remove(relay: string) {
      seen.delete(relay)
    },
    closeAll(reason: string) {
      for (const relay of seen.keys()) {
        env.RELAY.getByName(relay)
          .closeAll(reason)
          .catch(() => undefined)
      }
      seen.clear()
    },
    deliver(events: readonly EncodedEvent[]) {
      for (const relay of seen.keys()) {
        // A relay that fails has lost its listeners; it is added again when they reconnect.
        env.RELAY.getByName(relay)
          .deliver(events)
          .catch(() => seen.delete(relay))
      }
    },
  }
}
