/** `/counters`: reads, forgets and blocks one counter, named by its key or by the descriptor that it counts. */

import type { CounterObject, KeyReading } from '../../durable-objects/counter.ts'
import { RatelimitError } from '../../src/ratelimit/errors.ts'
import { matchRequest } from '../../src/ratelimit/service.ts'
import { units, windowStart } from '../../src/ratelimit/window.ts'
import { backEndOf } from '../adapters/back-end.ts'
import { objectNameOf } from '../adapters/counter-store.ts'
import { isolateOf } from '../adapters/isolate.ts'
import { loggerOf } from '../adapters/logger.ts'
import { currentRules } from '../adapters/rule-book-cache.ts'
import { type Call, whoOf } from './configuration.ts'

/** `GET /counters`: the open windows of a key and whether it is blocked; over every back end. */
export async function readCounter(call: Call): Promise<Response> {
  const key = await keyOf(call)
  const { settings } = isolateOf(call.env)
  const isOurs = settings.backend === 'durable-object'
  const reading = isOurs ? await objectOf(call, key).read(key) : await readStore(call, key)
  return Response.json({ key, ...reading })
}

/** `DELETE /counters`: forgets the counters and the block of a key; answers what was there. */
export async function resetCounter(call: Call): Promise<Response> {
  assertOurs(call, 'reset')
  const key = await keyOf(call)
  const before = await objectOf(call, key).reset(key)
  changed(call, 'reset', key)
  return Response.json({ key, forgotten: before })
}

/** `PUT /counters?seconds=N`: refuses every hit of a key for so long; 0 lifts the block. */
export async function blockCounter(call: Call): Promise<Response> {
  assertOurs(call, 'block')
  const key = await keyOf(call)
  const text = call.url.searchParams.get('seconds') ?? ''
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(seconds <= maxBlockSeconds)) {
    throw malformed(`Cannot block: seconds is "${text.slice(0, 40)}", expected 0 to ${maxBlockSeconds}`)
  }
  const reading = await objectOf(call, key).block(key, nowSeconds() + seconds)
  changed(call, `block for ${seconds} s`, key)
  return Response.json({ key, ...reading })
}

/** A year: a longer block is a rule. */
const maxBlockSeconds = 31_536_000

/** `key=K`, or `domain=D` with one `entry=KEY=VALUE` for every entry of a descriptor, in order. */
async function keyOf(call: Call): Promise<string> {
  const { searchParams } = call.url
  const key = searchParams.get('key') ?? ''
  if (key !== '') return key
  const entries = searchParams.getAll('entry')
  if (entries.length > 0) return keyOfDescriptor(call, searchParams.get('domain') ?? '', entries)
  throw malformed(
    'Cannot find a counter: key is missing, expected ?key=PREFIX_DOMAIN_KEY_VALUE_ or ?domain=D&entry=KEY=VALUE',
  )
}

async function keyOfDescriptor(
  { env, ctx }: Call,
  domain: string,
  texts: readonly string[],
): Promise<string> {
  const { settings } = isolateOf(env)
  const entries = texts.map((text) => {
    const at = text.indexOf('=')
    return at < 0 ? { key: text, value: '' } : { key: text.slice(0, at), value: text.slice(at + 1) }
  })
  const { rules } = await currentRules(env, ctx, settings)
  const [match] = matchRequest({ domain, descriptors: [{ entries }], hitsAddend: 0 }, { rules, settings })
  if (match !== undefined && match.key !== '') return match.key
  throw new RatelimitError(
    'counter_not_found',
    `Cannot find a counter: no rule of "${domain}" counts that descriptor`,
  )
}

function objectOf({ env }: Call, key: string): DurableObjectStub<CounterObject> {
  return env.COUNTER.getByName(objectNameOf(key, isolateOf(env).settings.placement))
}

/** What Redis or memcached holds under a key; a counter that is not there reads as 0 and is left out. */
async function readStore({ env }: Call, key: string): Promise<KeyReading> {
  const now = nowSeconds()
  const hits = units.map((unit) => ({ key, unit, addend: 0 }))
  const found = await backEndOf(env, isolateOf(env).settings).peek(hits)
  const counters = units.flatMap((unit, at) => {
    const { after = 0, secondsUntilReset = 0 } = found[at] ?? {}
    return after === 0 ? [] : [{ unit, hits: after, windowStart: windowStart(unit, now), secondsUntilReset }]
  })
  return { counters, blockedUntil: null }
}

/** A store that is shared with others is changed by its own tools: only Durable Objects know a block. */
function assertOurs({ env }: Call, action: string): void {
  const { backend } = isolateOf(env).settings
  if (backend === 'durable-object') return
  throw new RatelimitError(
    'unsupported_operation',
    `Cannot ${action} a counter: BACKEND_TYPE is "${backend}", expected "durable-object"`,
    { hint: 'GET /counters reads it; its stamped key can be changed with a client of the store' },
  )
}

/** This isolate forgets at once that the counter was over; others when its window or its block would have ended. */
function changed(call: Call, action: string, key: string): void {
  for (const unit of units) isolateOf(call.env).overLimitCache?.forget(key, unit)
  loggerOf(call.env).audit('Counter changed by hand', { audit: action, key, who: whoOf(call) })
}

function malformed(message: string): RatelimitError {
  return new RatelimitError('malformed_request', message)
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
