/** Everyone who listens to a simulation: its own listeners, those behind its relays, and what is on its way to them. */

import type { StepOutput } from '../../../src/grid/engine.ts'
import {
  encodeStreamEvent,
  incidentEvent,
  isAudible,
  type StreamEvent,
  type Topic,
} from '../../../src/grid/records/broadcast.ts'
import { openBurstThrottle } from '../burst-throttle.ts'
import type { GridEnv } from '../env.ts'
import { createListeners, type Listeners } from '../listeners.ts'
import { openRelayRegistry, type Relays } from '../relay-registry.ts'

/** The audience of one simulation. */
export interface SimulationAudience {
  readonly listeners: Listeners
  readonly relays: Relays
  /** Listeners of the object and relays that listen; a relay counts once, however many it holds. */
  readonly count: () => number
  /** Sends what a step produced, to those who listen. */
  readonly publish: (output: StepOutput, firstNumber: number) => void
  /** Says that something was done to the simulation. */
  readonly announce: (topic: Topic, data: unknown) => void
  /** Resolves once everything that was sent before has gone out. */
  readonly drained: () => Promise<void>
}

/**
 * Opens an audience without listeners.
 *
 * @param sessionId - The session that identifiers of events name, asked for at each event.
 * @param onListeners - Called with the new number when a listener came or left.
 */
export function openAudience(
  env: GridEnv,
  sessionId: () => string,
  onListeners: (count: number) => void,
): SimulationAudience {
  const listeners = createListeners(onListeners)
  const relays = openRelayRegistry(env)
  const outbox = openBurstThrottle((events) => {
    listeners.publish(events)
    relays.deliver(events)
  })
  const count = () => listeners.count() + relays.count()

  function send(events: readonly StreamEvent[]): void {
    if (events.length === 0) return
    const session = sessionId()
    outbox.send(events.map((event) => encodeStreamEvent(event, session)))
  }

  return {
    listeners,
    relays,
    count,
    publish(output, firstNumber) {
      if (count() === 0) return
      const events: StreamEvent[] = [...output.events]
      output.incidents.forEach((incident, index) => {
        if (isAudible(incident)) {
          events.push(incidentEvent(incident, firstNumber + index))
        }
      })
      send(events)
    },
    announce: (topic, data) => send([{ topic, data }]),
    drained: outbox.drained,
  }
}
