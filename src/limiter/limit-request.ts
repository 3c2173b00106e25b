/** Reads a request to the limiter, of which nothing is known: it comes from another program. */

import { isRecord } from '../base/json.ts'
import { nearest } from '../base/nearest.ts'
import { RatelimitError } from '../ratelimit/errors.ts'
import type { Descriptor, Entry, LimitOverride, RateLimitRequest } from '../ratelimit/types.ts'
import { unitSeconds, units } from '../ratelimit/window.ts'
import type { LimiterMethod } from './types.ts'

type Names = readonly string[]

const propNames = ['domain', 'limit', 'period'] as const satisfies Names
const peekNames = ['key', 'entries', ...propNames] as const satisfies Names
const requestNames = [...peekNames, 'hits'] as const satisfies Names
const reservedNames = [...requestNames, 'reservation'] as const satisfies Names

/** The domain of requests and bindings that name none. */
const defaultDomain = 'default'
/** The key of the one entry of a request with `key`. */
const defaultKey = 'key'
/** Entries that are read from an object; the bounds of a request refuse fewer. */
const mostEntries = 1_000

/**
 * Reads a request as a message of the protocol, with what the binding's `props` say where it says nothing.
 *
 * @throws RatelimitError malformed_request when a member has another type or value than it may have, or an unknown
 *   name; the message has the nearest known one.
 * @throws RatelimitError invalid_settings when `props` are wrong in the same way.
 */
export function readLimitRequest(
  asked: unknown,
  method: Exclude<LimiterMethod, 'decide'>,
  props: unknown,
): RateLimitRequest {
  if (!isRecord(asked)) throw malformed(`it is ${describe(asked)}, expected { key: 'TEXT' }`)
  assertNames(asked, namesOf[method], malformed)
  const defaults = readProps(props)
  const limit = readOverride(asked, defaults)
  const hits = asked.hits === undefined ? 1 : wholeNumber(asked.hits, 'hits', Number.MAX_SAFE_INTEGER)
  const descriptor: { -readonly [name in keyof Descriptor]: Descriptor[name] } = { entries: readEntries(asked) }
  if (limit !== undefined) descriptor.limit = limit
  if (method === 'peek') descriptor.hitsAddend = 0n
  else if (hits !== 1) descriptor.hitsAddend = BigInt(hits)
  if (method === 'refund') descriptor.isNegativeHits = true
  const step = readStep(asked, method)
  if (step !== undefined) descriptor.step = step
  const domain = text(asked.domain ?? defaults.domain ?? defaultDomain, 'domain', faultOf(asked.domain))
  return { domain, descriptors: [descriptor], hitsAddend: 0 }
}

const namesOf: Readonly<Record<Exclude<LimiterMethod, 'decide'>, Names>> = {
  limit: reservedNames,
  peek: peekNames,
  refund: requestNames,
  settle: reservedNames,
}

function readStep({ reservation }: Readonly<Record<string, unknown>>, method: LimiterMethod): Descriptor['step'] {
  if (reservation === undefined && method !== 'settle') return undefined
  const id = text(reservation, 'reservation')
  if (id === '') throw malformed('reservation is empty, expected the id of a reservation')
  return { action: method === 'settle' ? 'settle' : 'reserve', id }
}

const noProps: Readonly<Record<string, unknown>> = {}

function readProps(props: unknown): Readonly<Record<string, unknown>> {
  if (props === undefined || props === null) return noProps
  if (!isRecord(props)) throw wrongProps(`they are ${describe(props)}, expected { domain, limit, period }`)
  assertNames(props, propNames, wrongProps)
  return props
}

function readEntries({ key, entries }: Readonly<Record<string, unknown>>): readonly Entry[] {
  if (key !== undefined && entries !== undefined) throw malformed('it has key and entries, expected one of them')
  if (key !== undefined) return [{ key: defaultKey, value: text(key, 'key') }]
  if (Array.isArray(entries) && entries.length > 0) return entries.map(readEntry)
  if (!isRecord(entries) && !Array.isArray(entries)) {
    const state = entries === undefined ? 'it has no key' : `entries is ${describe(entries)}`
    throw malformed(`${state}, expected key: 'TEXT' or entries: [{ key: 'TEXT', value: 'TEXT' }]`)
  }
  const pairs = Object.entries(entries)
  if (pairs.length === 0) throw malformed('entries is empty, expected one at least')
  if (pairs.length > mostEntries)
    throw malformed(`entries has ${pairs.length} members, expected at most ${mostEntries}`)
  return pairs.map(([key, value]) => ({ key, value: text(value, `entries.${key.slice(0, 40)}`) }))
}

function readEntry(entry: unknown, at: number): Entry {
  if (!isRecord(entry)) throw malformed(`entries[${at}] is ${describe(entry)}, expected { key: 'TEXT', value: 'TEXT' }`)
  const { key, value = '' } = entry
  return { key: text(key, `entries[${at}].key`), value: text(value, `entries[${at}].value`) }
}

/** The limit of the request, or of the binding; a part that is absent comes from the binding. */
function readOverride(
  asked: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): LimitOverride | undefined {
  const limit = asked.limit ?? defaults.limit
  const period = asked.period ?? defaults.period
  if (limit === undefined && period === undefined) return undefined
  const [ofLimit, ofPeriod] = [faultOf(asked.limit), faultOf(asked.period)]
  if (limit === undefined) throw ofPeriod('there is a period and no limit, expected both or none')
  if (period === undefined) throw ofLimit('there is a limit and no period, expected both or none')
  const unit = units.find((name) => unitSeconds[name] === period)
  if (unit === undefined) {
    const known = units.map((name) => unitSeconds[name]).join(', ')
    throw ofPeriod(`period is ${describe(period)}, expected one of ${known} seconds`)
  }
  return { requestsPerUnit: wholeNumber(limit, 'limit', 2 ** 32 - 1, ofLimit), unit }
}

/** Makes errors of a request or, for a member that is not in one, of the binding. */
type Fault = (state: string) => RatelimitError

function faultOf(asked: unknown): Fault {
  return asked === undefined || asked === null ? wrongProps : malformed
}

function assertNames(record: Readonly<Record<string, unknown>>, known: Names, fault: Fault): void {
  for (const name in record) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    const right = near === undefined ? `expected ${known.join(', ')}` : `did you mean ${near}?`
    throw fault(`unknown member ${JSON.stringify(name.slice(0, 40))}, ${right}`)
  }
}

function text(value: unknown, name: string, fault: Fault = malformed): string {
  if (typeof value === 'string') return value
  throw fault(`${name} is ${describe(value)}, expected a string`)
}

function wholeNumber(value: unknown, name: string, most: number, fault: Fault = malformed): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value
  throw fault(`${name} is ${describe(value)}, expected an integer from 0 to ${most}`)
}

/** A value in few words: strangers may have sent it. */
function describe(value: unknown): string {
  if (value === null || ['undefined', 'number', 'boolean'].includes(typeof value)) return String(value)
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function malformed(state: string): RatelimitError {
  return new RatelimitError('malformed_request', `Cannot read the request: ${state}`)
}

function wrongProps(state: string): RatelimitError {
  return new RatelimitError('invalid_settings', `Cannot read the props of the binding: ${state}`)
}
