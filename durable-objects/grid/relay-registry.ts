/** The relay objects of a simulation: they hold listeners for it, so that it sends each event only a few times. */

import type { EncodedEvent } from '#grid/records/broadcast.ts'
import type { GridEnv } from './env.ts'

/** Milliseconds after which a relay that did not report its listeners is forgotten. */
export const relayTimeoutMs = 90_000

/** The relays that have listeners now. */
export interface Relays {
  readonly count: () => number
  readonly add: (relay: string) => void
  readonly remove: (relay: string) => void
  readonly deliver: (events: readonly EncodedEvent[]) => void
  /** Ends the streams of every relay with a comment that says why. */
  readonly closeAll: (reason: string) => void
}

/** Makes an empty set of relays. */
export function openRelayRegistry(env: GridEnv): Relays {
  const seen = new Map<string, number>()
  return {
    count() {
      const oldest = Date.now() - relayTimeoutMs
      for (const [relay, at] of seen) if (at < oldest) seen.delete(relay)
      return seen.size
    },
    add(relay) {
      seen.set(relay, Date.now())
    },
    remove(relay) {
      seen.delete(relay)
    },
    closeAll(reason) {
      for (const relay of seen.keys()) {
        env.RELAY.getByName(relay)
          .closeAll(reason)
          .catch(() => undefined)
      }
      seen.clear()
    },
    deliver(events) {
      for (const relay of seen.keys()) {
        // A relay that fails has lost its listeners; it is added again when they reconnect.
        env.RELAY.getByName(relay)
          .deliver(events)
          .catch(() => seen.delete(relay))
      }
    },
  }
}
