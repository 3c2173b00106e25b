/** The topic `diagram` of the event stream: changes of the single-line diagram, at most five times a second. */

import {
  changedDiagram,
  completeDiagram,
  type Diagram,
  describeDiagram,
  describeReceivedDiagram,
} from '#grid/interface/diagram.ts'
import { isExternal } from '#grid/interface/session-view.ts'
import { encodeStreamEvent, type StreamEvent } from '#grid/records/broadcast.ts'
import type { Visibility } from '#grid/rights.ts'
import type { SimulationSession } from './session.ts'

/** Milliseconds between two events of the topic: five a second, at any speed of the simulation. */
const pauseMs = 200

/** Events between two repetitions of the whole diagram: about a minute at the usual speed. */
const completeEvery = 60

/** Opens the feed of an audience, which sends nothing without a listener; that of the control room has no true layer. */
export function openDiagramFeed(
  source: Pick<SimulationSession, 'session' | 'world'>,
  hasListener: () => boolean,
  announce: (event: StreamEvent) => void,
  audience: Visibility,
) {
  const describe = audience === 'full' ? describeDiagram : describeReceivedDiagram
  /** The diagram that listeners have, and its session. */
  let sent: { readonly session: string; readonly diagram: Diagram } | undefined
  let sinceComplete = 0
  let isDue = false

  function describeChange(): StreamEvent | undefined {
    const world = source.world()
    const session = source.session().sessionId
    const diagram = describe(world)
    const before = sent?.session === session && sinceComplete < completeEvery ? sent.diagram : undefined
    sent = { session, diagram }
    sinceComplete = before === undefined ? 0 : sinceComplete + 1
    const data = before === undefined ? completeDiagram(world, diagram) : changedDiagram(world, before, diagram)
    return data && { topic: 'diagram', audience, data }
  }

  function send(): void {
    isDue = false
    if (!hasListener() || isExternal(source.session().configuration)) {
      sent = undefined
      return
    }
    const event = describeChange()
    if (event !== undefined) announce(event)
  }

  function schedule(): void {
    if (isDue || !hasListener()) return
    isDue = true
    setTimeout(send, pauseMs)
  }

  return {
    /** Call after each step: the changes are sent within 200 ms, together with later ones. */
    changed: schedule,
    /** Sends the whole diagram with the next event, for listeners behind a relay. */
    repeat() {
      sent = undefined
      schedule()
    },
    /** The whole diagram for a new listener; the next event holds the changes after it. */
    opening() {
      if (isExternal(source.session().configuration)) return []
      const world = source.world()
      const session = source.session().sessionId
      // Other listeners have not got the changes since the last event, or wait for the whole: their base must stay.
      if (!hasListener()) sent = { session, diagram: describe(world) }
      const diagram = sent?.session === session ? sent.diagram : describe(world)
      const event = { topic: 'diagram', audience, data: completeDiagram(world, diagram) } as const
      return [encodeStreamEvent(event, session).plain]
    },
  }
}
