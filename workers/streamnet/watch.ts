/** Event streams: the token or ticket and the path are checked here, the object does the rest. */

import { assertAllowed, canReadComposed } from '#gateway/access.ts'
import { parseEventId, parseFirstDate } from '#gateway/changes.ts'
import { assertNoMistakes, GatewayError, type Mistake } from '#gateway/errors.ts'
import { runOperation } from '#gateway/handle.ts'
import type { Problem } from '#gateway/outcome.ts'
import { wanted } from '#gateway/param-mistakes.ts'
import type { WatchOperation } from '#gateway/public-read.ts'
import type { Area } from '#gateway/tokens.ts'
import { ticketMs } from '#objects/base/tickets.ts'
import { createUpstreamClient } from '#objects/streamnet/upstream.ts'
import { type Client, parseAddress, parseStreamId } from '#streamnet/index.ts'
import type { GatewayState } from './adapters/gateway-state.ts'
import { answerResult } from './answers.ts'
import type { Call } from './call.ts'
import { streamnetProblem } from './problems.ts'
import { readTicket, signTicket } from './stream-ticket.ts'

/** A parameter of the query: the test of its text, and what is expected. */
interface WatchParameter {
  readonly isGood: (text: string) => boolean
  readonly expected: string
}

/** A subject of event streams: its path, and the name of its object. */
export interface Watched {
  /** Below the base path, parameters behind colons. */
  readonly path: string
  /** The name by which it is opened to callers without a token. */
  readonly operation: WatchOperation
  /** The name of the object; invalid_argument or invalid_params for a malformed parameter. */
  place(name: (parameter: string) => string): string
  /** The area that a token must cover. */
  area(place: string): Area
  /** Parameters of the query by name. */
  readonly parameters: Readonly<Record<string, WatchParameter>>
  /** Names the subject to the object; fails where it does not exist, so that nothing makes an object for it. */
  ask(call: Call, place: string): Promise<Readonly<Record<string, string>>>
}

const lastEventId: WatchParameter = {
  isGood: (text) => parseEventId(text) !== undefined,
  expected: 'the id of an event of this stream',
}
const firstDate: WatchParameter = { isGood: (text) => parseFirstDate(text) !== undefined, expected: 'a whole number' }

/** Everything that can be watched. */
export const watched: readonly Watched[] = [
  {
    path: '/streams/:provider/:stream/events',
    operation: 'watch_stream',
    place: (name) => `${parseAddress(name('provider'), 'data_provider')}/${parseStreamId(name('stream'))}`,
    area: (place) => place,
    parameters: { from: firstDate, last_event_id: lastEventId },
    async ask(call, place) {
      const [dataProvider = '', streamId = ''] = place.split('/')
      await runOperation(clientOf(call), 'get_type', { streamId, dataProvider })
      // What the stream is computed from may change while it is watched, so the object checks it again at each look.
      const scopes = canReadComposed(call.grant, place) ? undefined : JSON.stringify(call.grant.scopes)
      return { data_provider: dataProvider, stream_id: streamId, ...(scopes !== undefined && { scopes }) }
    },
  },
  {
    path: '/blocks/events',
    operation: 'watch_blocks',
    place: () => 'blocks',
    area: () => '*',
    parameters: { last_event_id: lastEventId },
    ask: async () => ({}),
  },
  {
    path: '/markets/:query_id/events',
    operation: 'watch_market',
    place: (name) => `markets/${parseQueryId(name('query_id'))}`,
    area: () => '*',
    parameters: { last_event_id: lastEventId },
    async ask(call, place) {
      const query_id = place.slice('markets/'.length)
      await runOperation(clientOf(call), 'get_market_info', { queryId: Number(query_id) })
      return { query_id }
    },
  },
]

function parseQueryId(text: string): string {
  if (/^[1-9]\d{0,14}$/.test(text)) return text
  const mistakes = [{ path: 'query_id', message: wanted('an id from 1')({ input: text }) }]
  throw new GatewayError('invalid_params', 'Cannot watch: the path has a mistake', { mistakes })
}

function clientOf({ env, isolate }: Call): Client {
  return createUpstreamClient(env, { signer: isolate.signer, budgetMs: 20_000 })
}

/** Opens an event stream with a token. */
export async function openEvents(call: Call, subject: Watched, place: string): Promise<Response> {
  return openWatch(call, place, await readWatch(call, subject, place), call.request.signal)
}

/** Draws a ticket that opens an event stream once. */
export async function createTicket(call: Call, subject: Watched, place: string): Promise<Response> {
  const query = await readWatch(call, subject, place)
  const random = await call.env.STREAM_WATCH.getByName(place).createTicket(query.toString())
  if (random === undefined) {
    throw new GatewayError('too_many', 'Cannot give a ticket: too many wait to be used already')
  }
  const ticket = await signTicket(random, place, call.isolate.ticketSecret)
  return answerResult({ ticket, expiresIn: ticketMs / 1000 })
}

/** Opens an event stream by a ticket that this deployment signed; unauthorized for any other. */
export async function openByTicket(
  { env, isolate, request }: Pick<Call, 'env' | 'request'> & { readonly isolate: GatewayState },
  place: string,
  ticket: string,
): Promise<Response> {
  const random = await readTicket(ticket, place, isolate.ticketSecret)
  const query = random === undefined ? undefined : await env.STREAM_WATCH.getByName(place).takeTicket(random)
  // That of blocks may be empty.
  if (query !== undefined) return openWatch({ env }, place, new URLSearchParams(query), request.signal)
  throw new GatewayError(
    'unauthorized',
    'Cannot answer: the ticket is unknown, used, expired or of another stream, expected a new one',
  )
}

/** Checks what a listener asks for, and gives it as the object reads it. */
async function readWatch(call: Call, subject: Watched, place: string): Promise<URLSearchParams> {
  assertAllowed(call.grant, 'read', [subject.area(place)])
  const { searchParams } = call.url
  const given: [string, string][] = []
  const mistakes: Mistake[] = []
  for (const [name, { isGood, expected }] of Object.entries(subject.parameters)) {
    // Browsers send the header when they come back; the query is for the first request and for other clients.
    const header = name === 'last_event_id' ? call.request.headers.get('last-event-id') : null
    const value = header ?? searchParams.get(name)
    if (value === null || value === '') continue
    if (isGood(value)) given.push([name, value])
    else mistakes.push({ path: name, message: wanted(expected)({ input: value }) })
  }
  assertNoMistakes('watch', mistakes)
  const query = new URLSearchParams([...Object.entries(await subject.ask(call, place)), ...given])
  if (call.grant === call.isolate.publicRead?.grant) query.set('public', 'true')
  return query
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
