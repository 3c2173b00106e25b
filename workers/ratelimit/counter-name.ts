/** Names of counters in the query of an operator: a key, or the descriptor that a counter counts. */

import { nearest } from '#base/nearest.ts'
import { readAlgorithmKey } from '#ratelimit/algorithm/algorithm-key.ts'
import { listLimits } from '#ratelimit/config/dump.ts'
import { algorithmHit, listDescriptorHits } from '#ratelimit/descriptor-hit.ts'
import { RatelimitError } from '#ratelimit/errors.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import type { RuleBook } from '#ratelimit/rule-book.ts'
import { matchRequest } from '#ratelimit/service.ts'
import type { Entry, Unit } from '#ratelimit/types.ts'
import { openIsolate } from './adapters/isolate.ts'
import { currentRules } from './adapters/rule-book-cache.ts'
import type { Call } from './call.ts'

/** Counter that a request names: a key, and the unit of its rule where a rule was asked that counts in that unit. */
export interface CounterName {
  readonly key: string
  readonly unit: Unit | null
  /** Counters of algorithms that the key has by that rule, or may have by some rule. */
  readonly looks: readonly CounterHit[]
}

/**
 * Finds the counter of a request: of `key=K`, or of `domain=D` with one `entry=KEY=VALUE` for every entry of a
 * descriptor, in order.
 *
 * @throws RatelimitError malformed_request when the query names no counter, or names it in both ways.
 * @throws RatelimitError counter_not_found when no rule counts the descriptor.
 * @throws RatelimitError as `matchRequest` does.
 */
export async function findName(call: Call): Promise<CounterName> {
  const { searchParams } = call.url
  const key = searchParams.get('key')
  const domain = searchParams.get('domain')
  const entries = searchParams.getAll('entry')
  const isDescriptor = domain !== null || entries.length > 0
  if (key !== null && isDescriptor) throw malformed(`key was given together with domain or entry, ${eitherName}`)
  if (!isDescriptor && (key === null || key === '')) {
    throw malformed(`key is ${key === null ? 'missing' : 'empty'}, ${eitherName}`)
  }
  if (key !== null) return { key, unit: null, looks: await listPossible(call, key) }
  if (domain === null || domain === '') throw malformed(`domain is missing, ${eitherName}`)
  if (entries.length === 0) throw malformed(`entry is missing, ${eitherName}`)
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
      ? `entry is "${shown}", which has no key before the "="`
      : `entry is "${shown}", expected KEY=VALUE, or "${shown}=" for an empty value`,
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

function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `${cannotFind}: ${state}`)
}
