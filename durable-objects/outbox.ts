/** Events on their way to listeners: in order, and never more at once than a listener that reads can take. */

import { type EncodedEvent, queueCapacity } from '../src/grid/broadcast.ts'
import type { Listeners } from './listeners.ts'

/** Events that go out in one turn: half of what a listener's queue holds, so that a late reader keeps some room. */
const portion = queueCapacity / 2

/** Milliseconds that a listener without room can hold a burst up before it overflows and is cut off. */
const graceMs = 50

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
 * @param listeners - Those whose room is waited for.
 * @param deliver - Hands a portion to everybody.
 */
export function openOutbox(
  listeners: Pick<Listeners, 'hasRoom'>,
  deliver: (events: readonly EncodedEvent[]) => void,
): Outbox {
  let waiting: EncodedEvent[] = []
  let emptying: Promise<void> | undefined

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      deliver(waiting.slice(0, portion))
      waiting = waiting.slice(portion)
      const until = Date.now() + graceMs
      // Also after the last portion: what comes later in the same turn must wait for the next.
      do await new Promise((resolve) => setTimeout(resolve, 0))
      while (waiting.length > 0 && !listeners.hasRoom(portion) && Date.now() < until)
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
