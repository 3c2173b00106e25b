/** `/counters`: reads, forgets and blocks one counter, named by its key or by the descriptor that it counts. */

import type { Json } from '#base/json.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import { units } from '#ratelimit/window.ts'
import { counterKeeper } from './adapters/counter-keeper.ts'
import { openIsolate } from './adapters/isolate.ts'
import { loggerOf } from './adapters/logger.ts'
import type { Call } from './call.ts'
import { readAuthor } from './configuration.ts'
import { type CounterName, findName } from './counter-name.ts'

/** `GET /counters`: the open windows of a key and whether it is blocked. */
export async function readCounter(call: Call): Promise<Response> {
  const { key, unit, looks } = await findName(call)
  const reading = await makeKeeper(call).read(key, unit, looks)
  const isUnknown = reading.counters.length === 0 && reading.blockedUntil === null
  return Response.json({ key, ...reading, ...(isUnknown && { hint: unknownKeyHint }) })
}

const unknownKeyHint =
  'nothing is counted or blocked under this key; ?domain=D&entry=KEY=VALUE finds the key of a descriptor by the rules'

/** `DELETE /counters`: forgets the counters and the block of a key; answers what was there. */
export async function resetCounter(call: Call): Promise<Response> {
  const name = await findName(call)
  const { key, unit, looks } = name
  const before = await makeKeeper(call).reset(key, unit, looks)
  finishChange(call, 'reset', name)
  return Response.json({ key, forgotten: before })
}

/** `PUT /counters?seconds=N`: refuses every hit of a key for so long; 0 lifts the block. */
export async function blockCounter(call: Call): Promise<Response> {
  const name = await findName(call)
  const { key, unit } = name
  const seconds = readSeconds(call.url.searchParams.get('seconds'))
  const until = Math.floor(Date.now() / 1000) + seconds
  const reading = await makeKeeper(call).block(key, unit === null ? units : [unit], until)
  finishChange(call, `block for ${seconds} s`, name)
  return Response.json({ key, ...reading })
}

/** A year: a longer block is a rule. */
const maxBlockSeconds = 31_536_000

function readSeconds(text: string | null): number {
  const seconds = text !== null && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= maxBlockSeconds) return seconds
  const state = text === null ? 'seconds is missing' : `seconds is "${text.slice(0, 40)}"`
  throw new RatelimitError(
    'malformed_request',
    `Cannot block: ${state}, expected ?seconds=N with 0 to ${maxBlockSeconds}; 0 lifts the block`,
  )
}

/** The JSON Schemas of the query's parameters; `entry` may be repeated. */
export const counterQuery = {
  key: { type: 'string', minLength: 1, description: 'The key of a counter, without its window; excludes the others.' },
  domain: { type: 'string', minLength: 1 },
  entry: {
    type: 'array',
    items: { type: 'string', pattern: '^[^=]+=' },
    description: 'KEY=VALUE, once for every entry of the descriptor, in order.',
  },
  seconds: {
    type: 'integer',
    minimum: 0,
    maximum: maxBlockSeconds,
    description: 'How long to refuse every hit; 0 lifts the block.',
  },
} as const satisfies Readonly<Record<string, Json>>

/** A parameter of the query. */
export type CounterParameter = keyof typeof counterQuery

function makeKeeper({ env }: Call) {
  return counterKeeper(env, openIsolate(env).settings)
}

/** Logs a change. This isolate forgets at once that the counter was over; others when its window or block has ended. */
function finishChange(call: Call, action: string, { key, looks }: CounterName): void {
  const { overLimitCache } = openIsolate(call.env)
  const places = [...units.map((unit) => ({ key, unit })), ...looks]
  for (const place of places) overLimitCache?.forget(place.key, place.unit)
  loggerOf(call.env).audit('Counter changed by hand', { audit: action, key, who: readAuthor(call) })
}
