/** The event streams of a simulation: the subscription of a listener, and the first events of its stream. */

import { formatComment } from '#base/event-stream.ts'
import { encodeUtf8 } from '#base/utf8.ts'
import { encodeStreamEvent, findMissed, parseTopics, type Subscription } from '#grid/records/broadcast.ts'
import type { Visibility } from '#grid/rights.ts'
import { formatOpening } from '../listeners.ts'
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

/** Prepares a stream: its opening lines and what a listener missed; a relay reads the subscription itself. */
export function openStream(
  session: Pick<SimulationSession, 'session' | 'records'>,
  name: string,
  lastEventId: string | null,
  url?: URL,
): { readonly subscription: Subscription; readonly opening: readonly Uint8Array[] } {
  const subscription: Subscription =
    url === undefined
      ? { topics: parseTopics(undefined, 'full'), withIds: true, visibility: 'full' }
      : readSubscription(url)
  const opening = [encodeUtf8(formatOpening(name))]
  if (!subscription.withIds || lastEventId === null || lastEventId === '') return { subscription, opening }
  const { sessionId } = session.session()
  const missed = findMissed(session.records().incidents, sessionId, lastEventId)
  if (!missed.known) opening.push(encodeUtf8(formatComment('last event id belongs to another session')))
  if (missed.skipped > 0) {
    opening.push(encodeUtf8(formatComment(`${missed.skipped} older incidents were missed`)))
  }
  for (const event of missed.events) opening.push(encodeStreamEvent(event, sessionId).numbered)
  return { subscription, opening }
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
  const lastEventId = request.headers.get('last-event-id')
  const { subscription, opening } = openStream(session, name, lastEventId, new URL(request.url))
  const whole = subscription.topics.has('diagram') ? diagrams[subscription.visibility].opening() : []
  return audience.listeners.open(subscription, [...opening, ...whole], request.signal)
}
