/** The listeners of a simulation: its own, those of its relays, and the events on their way to them. */

import type { StepOutput } from '#grid/engine.ts'
import { encodeStreamEvent, incidentEvent, isAudible, type StreamEvent } from '#grid/records/broadcast.ts'
import { openBurstThrottle } from '../burst-throttle.ts'
import type { GridEnv } from '../env.ts'
import { createListeners } from '../listeners.ts'
import { openRelayRegistry } from '../relay-registry.ts'

/** Opens an audience without listeners; `sessionId` is for the identifiers of events. */
export function openAudience(env: GridEnv, sessionId: () => string) {
  const listeners = createListeners()
  const relays = openRelayRegistry(env)
  const throttle = openBurstThrottle((events) => {
    listeners.publish(events)
    relays.deliver(events)
  })
  const count = () => listeners.count() + relays.count()

  function send(events: readonly StreamEvent[]): void {
    if (events.length === 0) return
    const session = sessionId()
    throttle.send(events.map((event) => encodeStreamEvent(event, session)))
  }

  return {
    listeners,
    relays,
    /** Listeners of the object plus relays; a relay counts as one. */
    count,
    /** Sends what a step produced. */
    publish(output: StepOutput, firstNumber: number) {
      if (count() === 0) return
      const audible = output.incidents.flatMap((incident, index) =>
        isAudible(incident) ? [incidentEvent(incident, firstNumber + index)] : [],
      )
      send([...output.events, ...audible])
    },
    /** Sends one event about the simulation itself. */
    announce: (event: StreamEvent) => send([event]),
    /** Resolves once every event that was given to `send` before is delivered. */
    drained: throttle.drained,
  }
}
