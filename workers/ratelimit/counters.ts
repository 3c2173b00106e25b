/** `/counters`: reads, forgets and blocks one counter, named by its key or by the descriptor that it counts. */

import type { Json } from '#base/json.ts'
import { nearest } from '#base/nearest.ts'
import { readAlgorithmKey } from '#ratelimit/algorithm/algorithm.ts'
import { listLimits } from '#ratelimit/config/dump.ts'
import { algorithmHit, listDescriptorHits } from '#ratelimit/descriptor-hit.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { matchRequest } from '#ratelimit/service.ts'
import type { Entry, Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'
import { counterKeeper } from './adapters/counter-keeper.ts'
import { openIsolate } from './adapters/isolate.ts'
import { loggerOf } from './adapters/logger.ts'
import { currentRules } from './adapters/rule-book-cache.ts'
import type { Call } from './call.ts'
import { readAuthor } from './configuration.ts'

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
  const { key, unit, looks } = await findName(call)
  const before = await makeKeeper(call).reset(key, unit, looks)
  finishChange(call, 'reset', key)
  return Response.json({ key, forgotten: before })
}

/** `PUT /counters?seconds=N`: refuses every hit of a key for so long; 0 lifts the block. */
export async function blockCounter(call: Call): Promise<Response> {
  const { key, unit } = await findName(call)
  const seconds = readSeconds(call.url.searchParams.get('seconds'))
  const until = Math.floor(Date.now() / 1000) + seconds
  const reading = await makeKeeper(call).block(key, unit === null ? units : [unit], until)
  finishChange(call, `block for ${seconds} s`, key)
  return Response.json({ key, ...reading })
}

/** A year: a longer block is a rule. */
const maxBlockSeconds = 31_536_000

function readSeconds(text: string | null): number {
  const seconds = text !== null && /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= maxBlockSeconds) return seconds
  const state = text === null ? 'seconds is missing' : `seconds is "${text.slice(0, 40)}"`
  throw malformed(`Cannot block: ${state}, expected ?seconds=N with 0 to ${maxBlockSeconds}; 0 lifts the block`)
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

/** Counter that a request names: a key, and the unit of its rule where a rule was asked that counts in that unit. */
interface CounterName {
  readonly key: string
  readonly unit: Unit | null
  /** Counters of algorithms that the key has by that rule, or may have by some rule. */
  readonly looks: readonly CounterHit[]
}

/** `key=K`, or `domain=D` with one `entry=KEY=VALUE` for every entry of a descriptor, in order. */
async function findName(call: Call): Promise<CounterName> {
  const { searchParams } = call.url
  const key = searchParams.get('key')
  const domain = searchParams.get('domain')
  const entries = searchParams.getAll('entry')
  const isDescriptor = domain !== null || entries.length > 0
  if (key !== null && isDescriptor)
    throw malformed(`${cannotFind}: key was given together with domain or entry, ${eitherName}`)
  if (!isDescriptor && (key === null || key === '')) {
    throw malformed(`${cannotFind}: key is ${key === null ? 'missing' : 'empty'}, ${eitherName}`)
  }
  if (key !== null) return { key, unit: null, looks: await listPossible(call, key) }
  if (domain === null || domain === '') throw malformed(`${cannotFind}: domain is missing, ${eitherName}`)
  if (entries.length === 0) throw malformed(`${cannotFind}: entry is missing, ${eitherName}`)
  return findDescriptorName(call, domain, entries)
}

const cannotFind = 'Cannot find a counter'
const eitherName = 'expected ?key=PREFIX_DOMAIN_KEY_VALUE_ or ?domain=D&entry=KEY=VALUE'

function parseEntry(text: string): Entry {
  const at = text.indexOf('=')
  if (at > 0) return { key: text.slice(0, at), value: text.slice(at + 1) }
  const shown = text.slice(0, 40)
  throw malformed(
    at === 0
      ? `${cannotFind}: entry is "${shown}", which has no key before the "="`
      : `${cannotFind}: entry is "${shown}", expected KEY=VALUE, or "${shown}=" for an empty value`,
  )
}

async function findDescriptorName({ env, ctx }: Call, domain: string, texts: readonly string[]): Promise<CounterName> {
  const { settings } = openIsolate(env)
  const entries = texts.map(parseEntry)
  const { rules } = await currentRules(env, ctx, settings)
  const request = { domain, descriptors: [{ entries }], hitsAddend: 0 }
  const matches = matchRequest(request, { rules, settings })
  const [match] = matches
  if (match !== undefined && match.key !== '') {
    const looks = listDescriptorHits(matches, request).flatMap(({ hit }) =>
      readAlgorithmKey(hit.key) === null ? [] : [hit],
    )
    const unit = looks.length === 0 ? (match.limit?.rateLimit?.unit ?? null) : null
    return { key: match.key, unit, looks }
  }
  throw new RatelimitError(
    'counter_not_found',
    rules?.domains.has(domain) === true
      ? `${cannotFind}: no rule of "${domain}" counts that descriptor`
      : `${cannotFind}: there is no domain "${domain.slice(0, 80)}"`,
    { hint: counterHint(domain, rules) },
  )
}

/** Counters that are looked for under a bare key. */
const mostPossible = 100

/** Lists a counter of every algorithm that some rule has: a key does not tell by which rule it was counted. */
async function listPossible({ env, ctx }: Call, key: string): Promise<readonly CounterHit[]> {
  const { rules } = await currentRules(env, ctx, openIsolate(env).settings)
  const possible = new Map<string, CounterHit>()
  for (const { rateLimit } of rules === null ? [] : listLimits(rules)) {
    if (rateLimit?.algorithm === undefined || possible.size >= mostPossible) continue
    const hit = algorithmHit(key, rateLimit)
    possible.set(`${hit.unit} ${hit.key}`, hit)
  }
  return [...possible.values()]
}

function counterHint(domain: string, rules: RuleBook | null): string {
  if (rules?.domains.has(domain) === true) return 'POST /explain shows which rules a descriptor meets'
  const names = [...(rules?.domains.keys() ?? [])]
  const near = nearest(domain, names)
  if (near !== undefined) return `did you mean "${near}"?`
  return names.length === 0
    ? 'no rules are loaded'
    : `there is ${names
        .slice(0, 5)
        .map((name) => `"${name}"`)
        .join(', ')}`
}

function makeKeeper({ env }: Call) {
  return counterKeeper(env, openIsolate(env).settings)
}

/** Logs a change. This isolate forgets at once that the counter was over; others when its window or block has ended. */
function finishChange(call: Call, action: string, key: string): void {
  for (const unit of units) openIsolate(call.env).overLimitCache?.forget(key, unit)
  loggerOf(call.env).audit('Counter changed by hand', { audit: action, key, who: readAuthor(call) })
}

function malformed(message: string): RatelimitError {
  return new RatelimitError('malformed_request', message)
}
