/** Live records of a stream: the token or ticket and the path are checked here, the object does the rest. */

import { assertAllowed, canReadComposed } from '#gateway/access.ts'
import { parseEventId, parseFirstDate } from '#gateway/changes.ts'
import { assertNoMistakes, GatewayError, type Mistake } from '#gateway/errors.ts'
import { runOperation } from '#gateway/handle.ts'
import type { Problem } from '#gateway/outcome.ts'
import { wanted } from '#gateway/param-mistakes.ts'
import { ticketMs } from '#objects/base/tickets.ts'
import { createUpstreamClient } from '#objects/streamnet/upstream.ts'
import { parseAddress, parseStreamId } from '#streamnet/index.ts'
import type { GatewayState } from './adapters/gateway-state.ts'
import { answerResult, type Call } from './call.ts'
import { streamnetProblem } from './problems.ts'
import { readTicket, signTicket } from './stream-ticket.ts'

/** `GET /streamnet/v1/streams/{data_provider}/{stream_id}/events?from=&last_event_id=`. */
export async function watchStream(call: Call, dataProvider: string, streamId: string): Promise<Response> {
  const { place, query } = await readWatch(call, dataProvider, streamId)
  return openWatch(call, place, query, call.request.signal)
}

/** `POST /streamnet/v1/streams/{data_provider}/{stream_id}/events/ticket?from=&last_event_id=`. */
export async function createTicket(call: Call, dataProvider: string, streamId: string): Promise<Response> {
  const { place, query } = await readWatch(call, dataProvider, streamId)
  const random = await call.env.STREAM_WATCH.getByName(place).createTicket(query.toString())
  if (random === undefined) {
    throw new GatewayError('too_many', 'Cannot give a ticket: too many wait to be used already')
  }
  const ticket = await signTicket(random, place, call.isolate.ticketSecret)
  return answerResult({ ticket, expiresIn: ticketMs / 1000 })
}

/** Opens an event stream by a ticket that this deployment signed; unauthorized for any other. */
export async function watchByTicket(
  { env, isolate, request }: Pick<Call, 'env' | 'request'> & { readonly isolate: GatewayState },
  dataProvider: string,
  streamId: string,
  ticket: string,
): Promise<Response> {
  const place = `${parseAddress(dataProvider, 'data_provider')}/${parseStreamId(streamId)}`
  const random = await readTicket(ticket, place, isolate.ticketSecret)
  const query = random && (await env.STREAM_WATCH.getByName(place).takeTicket(random))
  if (query) return openWatch({ env }, place, new URLSearchParams(query), request.signal)
  throw new GatewayError(
    'unauthorized',
    'Cannot answer: the ticket is unknown, used, expired or of another stream, expected a new one',
  )
}

/** Checks what a listener asks for, and gives it as the object reads it. */
async function readWatch(call: Call, dataProvider: string, streamId: string) {
  const provider = parseAddress(dataProvider, 'data_provider')
  const stream = parseStreamId(streamId)
  assertAllowed(call.grant, 'read', [`${provider}/${stream}`])
  const query = new URLSearchParams({ data_provider: provider, stream_id: stream })
  const { searchParams } = call.url
  // Browsers send the header when they come back; the query is for the first request and for other clients.
  const lastEventId = call.request.headers.get('last-event-id') ?? searchParams.get('last_event_id')
  const mistakes: Mistake[] = []
  const pass = (name: string, value: string | null, isGood: boolean, expected: string) => {
    if (value === null || value === '') return
    if (!isGood) mistakes.push({ path: name, message: wanted(expected)({ input: value }) })
    query.set(name, value)
  }
  const from = searchParams.get('from')
  pass('from', from, parseFirstDate(from) !== undefined, 'a whole number')
  pass('last_event_id', lastEventId, parseEventId(lastEventId) !== undefined, 'the id of an event of this stream')
  assertNoMistakes('watch', mistakes)
  // What the stream is computed from may change while it is watched, so the object checks it again at each look.
  if (!canReadComposed(call.grant, `${provider}/${stream}`)) query.set('scopes', JSON.stringify(call.grant.scopes))
  // So that a stream that does not exist makes no object.
  const client = createUpstreamClient(call.env, { signer: call.isolate.signer, budgetMs: 20_000 })
  await runOperation(client, 'get_type', { streamId: stream, dataProvider: provider })
  if (call.grant === call.isolate.publicRead?.grant) query.set('public', 'true')
  return { place: `${provider}/${stream}`, query }
}

async function openWatch(
  { env }: Pick<Call, 'env'>,
  place: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Response> {
  const object = env.STREAM_WATCH.getByName(place)
  const response = await object.fetch(`http://stream-watch/?${query}`, { signal })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response
  // The object answers a stream or a problem, and nothing else.
  const { problem } = (await response.json()) as { readonly problem: Problem }
  return streamnetProblem(problem)
}
