/** Names of statistics: what the reference calls each counter, made safe for a statistics line. */

import type { SettlementFault } from '../reservation/reservations.ts'

/** Prefix of every counter that belongs to a limit or a domain. */
export const limitPrefix = 'ratelimit.service.rate_limit.'

/** The counters that belong to the service as a whole. */
export const serviceStats = {
  configLoadSuccess: 'ratelimit.service.config_load_success',
  configLoadError: 'ratelimit.service.config_load_error',
  globalShadowMode: 'ratelimit.service.global_shadow_mode',
  serviceError: 'ratelimit.service.call.should_rate_limit.service_error',
  /** A counter could not be reached; the name is the reference's, with every back end. */
  storeError: 'ratelimit.service.call.should_rate_limit.redis_error',
  failedOpen: 'ratelimit.service.call.should_rate_limit.failed_open',
  failedClosed: 'ratelimit.service.call.should_rate_limit.failed_closed',
  /** Requests without one of the tokens that CALLER_TOKENS asks for. */
  unauthenticated: 'ratelimit.service.call.should_rate_limit.unauthenticated',
  /** Requests that CALLER_OVERRIDES or CALLER_REFUNDS refuses. */
  notAllowed: 'ratelimit.service.call.should_rate_limit.not_allowed',
  /** Descriptors whose override was ignored. */
  overrideIgnored: 'ratelimit.service.call.should_rate_limit.override_ignored',
  /** Descriptors whose hits were not given back. */
  refundIgnored: 'ratelimit.service.call.should_rate_limit.refund_ignored',
  /** Descriptors that asked for more hits than CALLER_MAX_HITS. */
  hitsCapped: 'ratelimit.service.call.should_rate_limit.hits_capped',
  /** Descriptors that a list refused, or let pass uncounted. */
  denied: 'ratelimit.service.call.should_rate_limit.denied',
  allowed: 'ratelimit.service.call.should_rate_limit.allowed',
} as const

/** Counter of reservations, holders and holds that ended without a settlement. */
export const unsettledName = 'ratelimit.service.reservation.unsettled'

/** The counters of settlements that changed nothing, by the reason. */
export const settlementStats = {
  not_found: 'ratelimit.service.settlement.not_found',
  settled: 'ratelimit.service.settlement.settled',
  ended: 'ratelimit.service.settlement.ended',
} as const satisfies Readonly<Record<SettlementFault, string>>

/** The counters of leases, over all limits that are leased. */
export const leaseStats = {
  /** Hits that were admitted from a lease, without a call. */
  admitted: 'ratelimit.leases.admitted',
  /** Hits that were handed out in leases. */
  granted: 'ratelimit.leases.granted',
  /** Hits that came back unused. */
  returned: 'ratelimit.leases.returned',
  /** Calls of counters that are leased, one for all counters of an object. */
  calls: 'ratelimit.leases.calls',
  /** Calls without an answer: what they were granted is lost until the window turns. */
  lost: 'ratelimit.leases.lost',
  /** Returned leases that the counter did not know, or that had fewer hits. */
  faults: 'ratelimit.leases.faults',
} as const

/** The counters of fronts that decide where the caller is. */
export const frontStats = {
  connections: 'ratelimit.front.connections',
  /** Messages that were not of their form, out of order or beyond a bound; each ended its connection. */
  refusedMessages: 'ratelimit.front.refused_messages',
} as const

/** The counters of quota assignments. */
export const quotaStats = {
  streams: 'ratelimit.service.quota.streams',
  /** Streams that were refused or ended: without a token, too many, or with a message that makes no sense. */
  streamsRefused: 'ratelimit.service.quota.streams_refused',
  /** Usages of one bucket that were reported. */
  reports: 'ratelimit.service.quota.reports',
  /** Token buckets that were sent. */
  assignments: 'ratelimit.service.quota.assignments',
  /** Refusals of every hit that were sent, because nothing was left. */
  refusals: 'ratelimit.service.quota.refusals',
  /** Buckets that were silent for three reports. */
  abandoned: 'ratelimit.service.quota.abandoned',
  /** Buckets that were taken up on a new stream or after a restart, with what they had left. */
  reclaimed: 'ratelimit.service.quota.reclaimed',
  /** Reports of buckets that no rule limits. */
  unlimited: 'ratelimit.service.quota.unlimited',
  /** Reports of buckets beyond QUOTA_MAX_BUCKETS, or of limits that cannot be assigned. */
  notAssignable: 'ratelimit.service.quota.not_assignable',
  /** Reported hits that no assignment covers: before the first one, after the last one, or claimed. */
  uncovered: 'ratelimit.service.quota.uncovered_hits',
  /** Draws from a counter that failed. */
  drawFailed: 'ratelimit.service.quota.draw_failed',
} as const

/** Prefix of the statistics of gRPC calls; the method follows. */
export const callPrefix = 'ratelimit_server.'

/** Names the counter of calls of a gRPC method, failed ones included. */
export function totalRequestsName(method: string): string {
  return `${callPrefix}${method}.total_requests`
}

/**
 * Names the counter of calls of a gRPC method that took so long. Times are kept as counters, one for every length,
 * so that sums of all isolates are exact; above 100 ms two digits are kept, which bounds the names to some hundred.
 *
 * @param milliseconds - whole; more than an hour counts as an hour.
 */
export function responseTimeName(method: string, milliseconds: number): string {
  const bounded = Math.min(Math.max(0, Math.round(milliseconds)), 3_600_000)
  const kept = bounded < 100 ? bounded : Number(bounded.toPrecision(2))
  return `${callPrefix}${method}.response_time.ms.${kept}`
}

/** A length of calls of a method, as a statistic's name says it; null for any other name. */
export function parseResponseTime(name: string): { readonly method: string; readonly milliseconds: number } | null {
  if (!name.startsWith(callPrefix)) return null
  const [, method, text] = /^ratelimit_server\.([^.]+)\.response_time\.ms\.(\d+)$/.exec(name) ?? []
  return method === undefined ? null : { method, milliseconds: Number(text) }
}

/** The names of one limit's counters, made once when the rules are compiled. */
export interface LimitStatNames {
  readonly totalHits: string
  readonly overLimit: string
  readonly nearLimit: string
  readonly withinLimit: string
  readonly overLimitWithLocalCache: string
  readonly shadowMode: string
  readonly totalNegativeHits: string
  /** True costs of reservations. */
  readonly settledHits: string
}

/** Names the counters of the limit whose statistics key is `statKey`, for example `shop.tenant`. */
export function limitStatNames(statKey: string): LimitStatNames {
  const prefix = `${limitPrefix}${sanitizeStatName(statKey)}.`
  return {
    totalHits: `${prefix}total_hits`,
    overLimit: `${prefix}over_limit`,
    nearLimit: `${prefix}near_limit`,
    withinLimit: `${prefix}within_limit`,
    overLimitWithLocalCache: `${prefix}over_limit_with_local_cache`,
    shadowMode: `${prefix}shadow_mode`,
    totalNegativeHits: `${prefix}total_negative_hits`,
    settledHits: `${prefix}settled_hits`,
  }
}

/** The end of the names whose beginning is a domain that no rule knows: any text of any caller. */
const unknownDomainSuffix = '.domain_not_found'

/** Names the counter of requests for a domain that no rule knows. */
export function domainNotFoundName(domain: string): string {
  return `${limitPrefix}${sanitizeStatName(domain)}${unknownDomainSuffix}`
}

/** Tells whether a name is one of `domainNotFoundName`, which callers choose. */
export function isUnknownDomain(name: string): boolean {
  return name.endsWith(unknownDomainSuffix)
}

// No boundaries, as in the reference: of 1234.5.6.7 it takes 234.5.6.7 for an address.
const ipv4 = /(?:\d{1,3}\.){3}\d{1,3}/g

/** Replaces what a statistics line cannot hold: `:`, `|`, line breaks, and the dots of an IPv4 address. */
export function sanitizeStatName(name: string): string {
  return name.replace(ipv4, (address) => address.replaceAll('.', '_')).replace(/[:|\r\n]/g, '_')
}
