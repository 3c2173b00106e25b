/** `/counters`: reads, forgets and blocks one counter, named by its key or by the descriptor that it counts. */

import { RatelimitError } from '../../src/ratelimit/errors.ts'
import { matchRequest } from '../../src/ratelimit/service.ts'
import type { Unit } from '../../src/ratelimit/types.ts'
import { units } from '../../src/ratelimit/window.ts'
import { counterKeeper } from '../adapters/counter-keeper.ts'
import { isolateOf } from '../adapters/isolate.ts'
import { loggerOf } from '../adapters/logger.ts'
import { currentRules } from '../adapters/rule-book-cache.ts'
import { type Call, whoOf } from './configuration.ts'

/** `GET /counters`: the open windows of a key and whether it is blocked. */
export async function readCounter(call: Call): Promise<Response> {
  const { key } = await nameOf(call)
  return Response.json({ key, ...(await keeperOf(call).read(key)) })
}

/** `DELETE /counters`: forgets the counters and the block of a key; answers what was there. */
export async function resetCounter(call: Call): Promise<Response> {
  const { key } = await nameOf(call)
  const before = await keeperOf(call).reset(key)
  changed(call, 'reset', key)
  return Response.json({ key, forgotten: before })
}

/** `PUT /counters?seconds=N`: refuses every hit of a key for so long; 0 lifts the block. */
export async function blockCounter(call: Call): Promise<Response> {
  const { key, unit } = await nameOf(call)
  const text = call.url.searchParams.get('seconds') ?? ''
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= maxBlockSeconds)) {
    throw malformed(`Cannot block: seconds is "${text.slice(0, 40)}", expected 0 to ${maxBlockSeconds}`)
  }
  const until = Math.floor(Date.now() / 1000) + seconds
  const reading = await keeperOf(call).block(key, unit === null ? units : [unit], until)
  changed(call, `block for ${seconds} s`, key)
  return Response.json({ key, ...reading })
}

/** A year: a longer block is a rule. */
const maxBlockSeconds = 31_536_000

/** What a request names: a key, and the unit that its rule counts in where a rule was asked. */
interface CounterName {
  readonly key: string
  readonly unit: Unit | null
}

/** `key=K`, or `domain=D` with one `entry=KEY=VALUE` for every entry of a descriptor, in order. */
async function nameOf(call: Call): Promise<CounterName> {
  const { searchParams } = call.url
  const key = searchParams.get('key') ?? ''
  if (key !== '') return { key, unit: null }
  const entries = searchParams.getAll('entry')
  if (entries.length > 0) return nameOfDescriptor(call, searchParams.get('domain') ?? '', entries)
  throw malformed(
    'Cannot find a counter: key is missing, expected ?key=PREFIX_DOMAIN_KEY_VALUE_ or ?domain=D&entry=KEY=VALUE',
  )
}

async function nameOfDescriptor(
  { env, ctx }: Call,
  domain: string,
  texts: readonly string[],
): Promise<CounterName> {
  const { settings } = isolateOf(env)
  const entries = texts.map((text) => {
    const at = text.indexOf('=')
    return at < 0 ? { key: text, value: '' } : { key: text.slice(0, at), value: text.slice(at + 1) }
  })
  const { rules } = await currentRules(env, ctx, settings)
  const [match] = matchRequest({ domain, descriptors: [{ entries }], hitsAddend: 0 }, { rules, settings })
  if (match !== undefined && match.key !== '')
    return { key: match.key, unit: match.limit?.rateLimit?.unit ?? null }
  throw new RatelimitError(
    'counter_not_found',
    `Cannot find a counter: no rule of "${domain}" counts that descriptor`,
  )
}

function keeperOf({ env }: Call) {
  return counterKeeper(env, isolateOf(env).settings)
}

/** This isolate forgets at once that the counter was over; others when its window or its block would have ended. */
function changed(call: Call, action: string, key: string): void {
  for (const unit of units) isolateOf(call.env).overLimitCache?.forget(key, unit)
  loggerOf(call.env).audit('Counter changed by hand', { audit: action, key, who: whoOf(call) })
}

function malformed(message: string): RatelimitError {
  return new RatelimitError('malformed_request', message)
}
