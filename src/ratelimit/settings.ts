/** The documented environment variables, read once into one frozen value. */

import { VariableError } from '../base/errors.ts'
import { type Environment, readVariables, tokenVariable, type VariableSet, variableText } from '../base/variables.ts'
import type { CallerPolicy } from './caller-policy.ts'
import { assertShipped } from './config/shipped.ts'
import { invalidSettings, RatelimitError } from './errors.ts'
import { type LeasePolicy, leasesAnything } from './lease/lease-policy.ts'
import { readPlaces } from './placement/places.ts'
import type { Placement } from './placement.ts'
import { ignoredSettings } from './setting-table/ignored.ts'
import { type SettingValues, settingTable } from './setting-table.ts'
import { type Mogrifier, readMogrifiers } from './statistics/mogrifier.ts'
import { assertReachable } from './store-connections.ts'

/** The three names of the classic headers. */
export interface HeaderNames {
  readonly limit: string
  readonly remaining: string
  readonly reset: string
}

/** Every variable by its product name, and the values that are made of several; frozen. */
export interface Settings extends SettingValues {
  /** The classic headers of responses; null while they are switched off. */
  readonly limitHeaders: HeaderNames | null
  /** The classic headers of requests on their way to the upstream; null while they are switched off. */
  readonly requestLimitHeaders: HeaderNames | null
  readonly placement: Placement
  /** Limits that may be answered from leases; null for none. */
  readonly leases: LeasePolicy | null
  /** Limits of what callers may ask for; null when they may ask for everything, as in the reference. */
  readonly callerPolicy: CallerPolicy | null
  /** Patterns that rewrite the names that are pushed; empty without `USE_DOG_STATSD`. */
  readonly mogrifiers: readonly Mogrifier[]
}

/**
 * Reads the environment.
 *
 * Both spellings of a variable are accepted; an empty value counts as absent, save for text. Names that are
 * not in the table are ignored.
 *
 * @param hasRelay - whether stores can be reached through the relay of `npm start`: a Worker has it as a binding.
 * @throws RatelimitError invalid_settings when a variable cannot be read, or two contradict each other; the message
 *   names the variable and shows no secret.
 */
export function readSettings(
  environment: Environment,
  hasRelay = typeof environment.STORE_RELAY === 'object',
): Settings {
  const values = readValues(environment)
  assertCollector(values, environment)
  if (values.BACKEND_TYPE === 'memcache') assertMemcache(values)
  assertReachable(values, hasRelay)
  assertShipped(values.RATELIMIT_RULES, { mergeDomains: values.MERGE_DOMAIN_CONFIG })
  return combine(values, environment)
}

/**
 * Reads the settings of decisions, for a process that reaches no store itself.
 *
 * @throws RatelimitError invalid_settings when a variable cannot be read.
 */
export function readDecisionSettings(environment: Environment): Settings {
  return combine(readValues(environment), environment)
}

function combine(values: SettingValues, environment: Environment): Settings {
  return Object.freeze({
    ...values,
    limitHeaders: values.LIMIT_RESPONSE_HEADERS_ENABLED ? readHeaderNames(values, 'LIMIT') : null,
    requestLimitHeaders: values.LIMIT_REQUEST_HEADERS_ENABLED ? readHeaderNames(values, 'LIMIT_REQUEST') : null,
    placement: readPlacement(values),
    leases: leasesAnything(values.LEASES) ? values.LEASES : null,
    callerPolicy: readCallerPolicy(values),
    mogrifiers: values.USE_DOG_STATSD
      ? readMogrifiers(values.USE_DOG_STATSD_MOGRIFIERS, (name) => variableText(environment[name]))
      : [],
  } satisfies Settings)
}

function readPlacement(values: SettingValues): Placement {
  const places = readPlaces(values.COUNTER_PLACES, values.CACHE_KEY_PREFIX)
  const placed = places.length > 0 ? { places } : {}
  if (values.COUNTER_PLACEMENT === 'shard') return { kind: 'shard', shards: values.COUNTER_SHARDS, ...placed }
  return { kind: 'per-key', ...placed }
}

function readHeaderNames(values: SettingValues, prefix: 'LIMIT' | 'LIMIT_REQUEST'): HeaderNames {
  return {
    limit: values[`${prefix}_LIMIT_HEADER`],
    remaining: values[`${prefix}_REMAINING_HEADER`],
    reset: values[`${prefix}_RESET_HEADER`],
  }
}

function readCallerPolicy(values: SettingValues): CallerPolicy | null {
  const { CALLER_OVERRIDES: overrides, CALLER_REFUNDS: refunds, CALLER_MAX_HITS: maxHits } = values
  const isOpen = overrides === 'allow' && refunds === 'allow' && maxHits === 0
  return isOpen ? null : { overrides, refunds, maxHits }
}

/** The values of the table; an error keeps its words and takes the code of this domain. */
function readValues(environment: Environment): SettingValues {
  try {
    return readVariables(settingTable, environment)
  } catch (error) {
    if (error instanceof VariableError) throw new RatelimitError(error.code, error.message)
    throw error
  }
}

/** Secrets of the operator plane and of fronts, which no decision needs. */
export const operatorVariables = { ADMIN_TOKEN: tokenVariable(), FRONT_TOKEN: tokenVariable() } as const

/** Every variable of the rate limit service, and the ones that USE_DOG_STATSD_MOGRIFIERS names. */
export const ratelimitVariables: VariableSet = {
  tables: [settingTable, operatorVariables],
  ignored: ignoredSettings.flatMap(({ names }) => names),
  family: /^DOG_STATSD_MOGRIFIERS?_\w+_(?:PATTERN|NAME|TAGS)$/,
}

function assertCollector(values: SettingValues, environment: Environment): void {
  if (values.TRACING_ENABLED && variableText(environment.OTEL_EXPORTER_OTLP_ENDPOINT) === undefined) {
    throw invalidSettings(
      'TRACING_ENABLED is true without OTEL_EXPORTER_OTLP_ENDPOINT, expected the address of the collector in it',
    )
  }
}

function assertMemcache(values: SettingValues): void {
  if (values.MEMCACHE_HOST_PORT !== '' && values.MEMCACHE_SRV !== '') {
    throw invalidSettings('Both MEMCACHE_HOST_PORT and MEMCACHE_SRV are set, expected one of them')
  }
  if (values.MEMCACHE_HOST_PORT === '' && values.MEMCACHE_SRV === '') {
    throw invalidSettings('MEMCACHE_HOST_PORT is empty, expected a list of host:port, or MEMCACHE_SRV')
  }
}
