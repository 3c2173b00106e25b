/** Events on their way to listeners: in order, and a portion in a turn of the event loop. */

import { type EncodedEvent, queueCapacity } from '../../src/grid/records/broadcast.ts'

/** Events that go out in one turn: half of what may wait for a listener that does not read. */
const portion = queueCapacity / 2

/** What waits to go out. */
export interface Outbox {
  readonly send: (events: readonly EncodedEvent[]) => void
  /** Resolves once everything that was sent before has gone out. */
  readonly drained: () => Promise<void>
}

/**
 * Opens an empty outbox.
 *
 * Without it, a request that computes many steps or ingests a long batch would offer hundreds of events between two
 * turns of the event loop; readers take what they were offered only between turns, so all of them would overflow.
 *
 * @param deliver - Hands a portion to all listeners.
 */
export function openBurstThrottle(deliver: (events: readonly EncodedEvent[]) => void): Outbox {
  let waiting: EncodedEvent[] = []
  let emptying: Promise<void> | undefined

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      deliver(waiting.slice(0, portion))
      waiting = waiting.slice(portion)
      // Also after the last portion: what comes later in the same turn must wait for the next.
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
  }

  return {
    send(events) {
      waiting = waiting.concat(events)
      emptying ??= empty().finally(() => {
        emptying = undefined
      })
    },
    drained: () => emptying ?? Promise.resolve(),
  }
}
