/** The event streams of a simulation: the subscription of a listener, and the first events of its stream. */

import { formatComment } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { encodeStreamEvent, findMissed, parseTopics, type Subscription } from '#grid/records/broadcast.ts'
import type { Visibility } from '#grid/rights.ts'
import { encodeOpening } from '../listeners.ts'
import { openCommandStream } from './external-commands.ts'
import type { SimulationParts } from './parts.ts'
import type { SimulationSession } from './session.ts'

/** Reads the subscription of a listener: topics, and identifiers where it asks for them; the control room has none. */
export function readSubscription(url: URL): Subscription {
  const ids = url.searchParams.get('ids')
  const visibility: Visibility = url.searchParams.get('visibility') === 'full' ? 'full' : 'control-room'
  return {
    topics: parseTopics(url.searchParams.get('topics') ?? undefined, visibility),
    withIds: visibility === 'full' && (ids === '1' || ids === 'true'),
    visibility,
  }
}

/** Lists the octets that tell a listener what it missed since the last identifier that it has; none without one. */
export function listMissed(
  session: Pick<SimulationSession, 'session' | 'records'>,
  lastEventId: string | null,
): readonly Uint8Array[] {
  if (lastEventId === null || lastEventId === '') return []
  const { sessionId } = session.session()
  const missed = findMissed(session.records().incidents, sessionId, lastEventId)
  const comments = [
    ...(missed.known ? [] : ['last event id belongs to another session']),
    ...(missed.skipped > 0 ? [`${missed.skipped} older incidents were missed`] : []),
  ]
  return [
    ...comments.map((comment) => encodeUtf8(formatComment(comment))),
    ...missed.events.map((event) => encodeStreamEvent(event, sessionId).numbered),
  ]
}

/** Wakes the simulation and opens the stream that a request asks for: of commands, or of events. */
export async function openEvents(parts: SimulationParts, name: string, request: Request): Promise<Response> {
  const { session, clock, audience, external } = parts
  // The request was on its way while the simulation was deleted: its stream would stay empty.
  if (session.isForgotten()) return new Response(null, { status: 404 })
  clock.touch()
  const isFeed = new URL(request.url).pathname === '/commands'
  const response = isFeed
    ? openCommandStream(external, audience.listeners, name, request.signal)
    : await openAudienceStream(parts, name, request)
  // Without listeners the clock is checked once a second: a new one must not wait for that.
  clock.checkNow()
  return response
}

async function openAudienceStream({ session, audience, diagrams }: SimulationParts, name: string, request: Request) {
  // Events in the throttle are among the records already: a listener that reconnects would get them twice.
  await audience.drained()
  const subscription = readSubscription(new URL(request.url))
  const missed = subscription.withIds ? listMissed(session, request.headers.get('last-event-id')) : []
  const whole = subscription.topics.has('diagram') ? diagrams[subscription.visibility].opening() : []
  return audience.listeners.open(subscription, [encodeOpening(name), ...missed, ...whole], request.signal)
}
