/** Readers of settings: one for each form of value, with the text that says what it expects. */

import { bounded, choice, type Reader, reader } from '../base/variables.ts'
import { type CallerTokens, parseCallerTokens } from './caller-tokens.ts'
import { parseDuration } from './duration.ts'
import { type FailurePolicies, parseFailurePolicies } from './failure-policy.ts'
import { type LeasePolicy, leasePolicyForm, parseLeasePolicy } from './lease/lease-policy.ts'
import { type DomainPlaces, jurisdictions, type LocationHint, locationHints, parsePlaces } from './placement/places.ts'

/** A duration in milliseconds, 0 or more. */
export function duration(fallbackMs: number): Reader<number> {
  return reader(fallbackMs, 'a duration such as 10s, 150us or 1h30m', (value) => {
    const milliseconds = parseDuration(value) ?? -1
    return milliseconds < 0 ? null : milliseconds
  })
}

/** A duration in milliseconds, above 0: a wait of 0 would never let its call finish. */
export function wait(fallbackMs: number): Reader<number> {
  return reader(fallbackMs, 'a duration above 0 such as 300ms or 5s', (value) => {
    const milliseconds = parseDuration(value) ?? 0
    return milliseconds <= 0 ? null : milliseconds
  })
}

/** A whole number, 0 or more. */
export function whole(fallback: number, most = Number.MAX_SAFE_INTEGER): Reader<number> {
  return decimal(fallback, 0, most)
}

/** A whole number from 1 to 2^31 - 1. */
export function positive(fallback: number): Reader<number> {
  return decimal(fallback, 1, 2_147_483_647)
}

/** A port; 0 lets the system choose one. */
export function port(fallback: number): Reader<number> {
  return decimal(fallback, 0, 65_535)
}

/** An address to listen on, in Go's form: `HOST:PORT`, where an empty host is every address, or `[::1]:PORT`. */
export function listenAddress(fallback: string): Reader<string> {
  return reader(fallback, 'HOST:PORT or :PORT', (value) =>
    /^([\w.-]*|\[[\da-fA-F:]+\]):\d{1,5}$/.test(value) ? value : null,
  )
}

/** A whole number that does not begin with another 0: of `017` the reference makes 15, and it refuses `08`. */
function decimal(fallback: number, least: number, most: number): Reader<number> {
  const { parse, expected, ...rest } = bounded(fallback, least, most)
  return {
    ...rest,
    expected: `${expected} without leading zeros`,
    parse: (value) => (/^\+?0\d/.test(value) ? null : parse(value)),
  }
}

/** A number from 0 to 1, in the forms of a Go float. */
export function ratio(fallback: number): Reader<number> {
  return reader(fallback, 'a number from 0 to 1', (value) => {
    const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value) : Number.NaN
    return number >= 0 && number <= 1 ? number : null
  })
}

/** The base of the growth of a pause, as the reference uses its "random factor": below 1 a pause never grows. */
export const factor = reader(0.5, 'a number from 0 to 100', (value) => {
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  return number <= 100 ? number : null
})

/** An absolute path of a URL, without a query. */
export function path(fallback: string): Reader<string> {
  return reader(fallback, 'a path such as /metrics', (value) => (/^\/[^\s?#]+$/.test(value) ? value : null))
}

/** The name of a header, a token of RFC 9110 section 5.6.2. */
export function headerName(fallback: string): Reader<string> {
  return reader(fallback, 'an HTTP field name', (value) => (/^[!#$%&'*+\-.^_`|~\w]+$/.test(value) ? value : null))
}

/** Treatment of limits and refunds that a caller sends: they are honoured, left out, or refuse the request. */
export const leeway = choice('allow', ['allow', 'ignore', 'refuse'])

/** An empty text is not "no tokens": a secret that was forgotten must not let every caller in. */
export const callerTokens: Reader<CallerTokens> = {
  ...reader<CallerTokens>(
    new Map<string, string>(),
    'name=token, separated by commas, each token 16 or more letters, digits or -._~+/',
    parseCallerTokens,
  ),
  keepsEmpty: true,
}

/** The store that counts. */
export const backend = choice('durable-object', ['durable-object', 'redis', 'memcache'])

/** Answers by domain while the counter store fails. */
export const failurePolicy = reader<FailurePolicies>(
  new Map(),
  'error, open or closed, then exceptions as domain=policy, separated by commas',
  parseFailurePolicies,
)

/** The limits that leases may answer. */
export const leases: Reader<LeasePolicy> = {
  ...reader<LeasePolicy>(new Map(), leasePolicyForm, parseLeasePolicy),
  fallbackText: 'off',
}

/** The places of counters by domain. */
export const places: Reader<DomainPlaces> = {
  ...reader<DomainPlaces>(
    new Map(),
    `a jurisdiction (${jurisdictions.join(', ')}), a location hint (${locationHints.join(', ')}) or both as eu+weur, then exceptions as domain=place, separated by commas`,
    parsePlaces,
  ),
  words: [...jurisdictions, ...locationHints],
}

/** Regions with objects that hold leases, none twice. */
export const regions: Reader<readonly LocationHint[]> = {
  ...reader<readonly LocationHint[]>(
    [],
    `location hints (${locationHints.join(', ')}), separated by commas`,
    (value) => {
      const list = value.split(',').map((name) => name.trim().toLowerCase())
      const known = locationHints.filter((hint) => list.includes(hint))
      return known.length === list.length ? known : null
    },
  ),
  words: locationHints,
}

/** A list of names, separated by commas. */
export const names: Reader<readonly string[]> = reader([], 'names, separated by commas', (value) => {
  const list = value.split(',').map((name) => name.trim())
  return list.every((name) => /^\w+$/.test(name)) ? list : null
})

/** Pairs of a name and a value, by name; the last of one name wins. */
export function pairs(noun: string, separator: ':' | '='): Reader<ReadonlyMap<string, string>> {
  return reader(new Map(), `${noun} as name${separator}value, separated by commas`, (value) => {
    const list = value.split(',').map((pair) => {
      const at = pair.indexOf(separator)
      return [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()] as const
    })
    return list.some(([name]) => name === '') ? null : new Map(list)
  })
}
