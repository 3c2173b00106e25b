/** Sends events to listeners in order, one portion for each turn of the event loop. */

import { type EncodedEvent, queueCapacity } from '#grid/records/broadcast.ts'
import { pause } from '../base/pause.ts'

/** Events sent in one turn: half of what the queue of a listener that does not read may hold. */
const portion = queueCapacity / 2

/**
 * Opens a throttle, which gives `deliver` portions: readers take events between turns of the event loop only, and a
 * request that computes many steps would overflow every queue.
 */
export function openBurstThrottle(deliver: (events: readonly EncodedEvent[]) => void) {
  let waiting: EncodedEvent[] = []
  let emptying: Promise<void> | undefined

  async function empty(): Promise<void> {
    while (waiting.length > 0) {
      deliver(waiting.slice(0, portion))
      waiting = waiting.slice(portion)
      // After the last portion too: events that come later in the same turn have to wait for the next one.
      await pause()
    }
  }

  return {
    send(events: readonly EncodedEvent[]) {
      waiting = waiting.concat(events)
      emptying ??= empty().finally(() => {
        emptying = undefined
      })
    },
    /** Resolves once every event that was given to `send` before is delivered. */
    drained: () => emptying ?? Promise.resolve(),
  }
}
