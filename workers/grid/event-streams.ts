/** Event streams of a simulation: incidents for listeners, and commands for an outside simulator. */

import { GridError } from '#grid/errors.ts'
import { expectTopics } from '#grid/records/broadcast.ts'
import { visibilityOf } from '#grid/rights.ts'
import { streamHeaders } from '#objects/base/event-listener.ts'
import { maximumListeners } from '#objects/grid/listeners.ts'
import { corsHeaders } from '../edge/cors.ts'
import { type Call, findSettings, query } from './call.ts'

/** Opens an event stream at the simulation, or at one of its relays where the deployment has some. */
export async function listen({ simulation, request, url, env, name, right }: Call): Promise<Response> {
  const target = new URL(`http://simulation/events?name=${name}&visibility=${visibilityOf(right)}`)
  for (const key of ['ids', 'topics'] as const) {
    const value = query(url, key)
    if (value !== undefined) target.searchParams.set(key, value)
  }
  expectTopics(query(url, 'topics'))
  const { GRID_RELAYS: relays } = findSettings(env)
  if (relays === 0) return openStream(simulation, request, target)
  const relay = `${name}#${Math.floor(Math.random() * relays)}`
  target.searchParams.set('relay', relay)
  return openStream(env.RELAY.getByName(relay), request, target)
}

/** Opens the stream of commands for an outside simulator. */
export function listenToCommands({ simulation, request, name }: Call): Promise<Response> {
  return openStream(simulation, request, new URL(`http://simulation/commands?name=${name}`))
}

async function openStream(object: { fetch(request: Request): Promise<Response> }, request: Request, url: URL) {
  // HEAD opens no stream, which would count as a listener, or as the simulator that takes commands.
  if (request.method === 'HEAD') return new Response(null, { headers: { ...streamHeaders, ...corsHeaders } })
  const lastEventId = request.headers.get('last-event-id')
  const headers = lastEventId === null ? {} : { 'last-event-id': lastEventId }
  const response = await object.fetch(new Request(url, { headers, signal: request.signal }))
  if (response.status === 429) {
    throw new GridError('too_many', `Cannot open the stream: ${maximumListeners} are open, expected fewer`)
  }
  if (!response.ok) throw new GridError('not_found', 'Not found: the simulation was deleted')
  const opened = new Response(response.body, response)
  for (const [key, value] of Object.entries(corsHeaders)) opened.headers.set(key, value)
  return opened
}
