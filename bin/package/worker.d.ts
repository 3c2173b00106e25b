/** The rate limit service as a dependency: a Worker exports its objects and binds them as `wrangler.toml` of Sluice does. */

import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import type {
  DecideRequest,
  DecideResult,
  Limiter,
  LimiterDefaults,
  LimitRequest,
  LimitResult,
  PeekRequest,
  SettleRequest,
} from './index.js'

/** Counts the hits of a key, or of a shard of keys; bound as `COUNTER`. */
export declare class CounterObject extends DurableObject<RatelimitEnv> {}
/** Holds leases for a region; bound as `LEASE_REGION` with `LEASE_REGIONS`. */
export declare class RegionObject extends DurableObject<RatelimitEnv> {}
/** Keeps the rules; bound as `RULE_BOOK`. */
export declare class RuleBookObject extends DurableObject<RatelimitEnv> {}
/** Adds up statistics; bound as `STATS`. */
export declare class StatsObject extends DurableObject<RatelimitEnv> {}
/** Connects to Redis; bound as `REDIS` with `BACKEND_TYPE=redis`. */
export declare class RedisObject extends DurableObject<RatelimitEnv> {}
/** Connects to memcached; bound as `MEMCACHE` with `BACKEND_TYPE=memcache`. */
export declare class MemcacheObject extends DurableObject<RatelimitEnv> {}
/** Divides limits among Envoys; bound as `QUOTA` where they open quota streams. */
export declare class QuotaObject extends DurableObject<RatelimitEnv> {}

/**
 * Makes the class of rules that takes its rules from a text, to be exported as `RuleBookObject`. A text that differs from
 * the last one replaces all rules; with the same text, changes by the operator plane stay.
 *
 * @param text - YAML documents, one for each domain, separated by `---`.
 * @throws Error when the text has a mistake: the Worker does not start, and cannot be deployed.
 */
export declare function withRules(text: string): typeof RuleBookObject

/** Bindings and secrets that the service reads; its other settings are variables of type text. */
export interface RatelimitEnv {
  readonly COUNTER: DurableObjectNamespace
  readonly LEASE_REGION?: DurableObjectNamespace
  readonly RULE_BOOK: DurableObjectNamespace
  readonly STATS: DurableObjectNamespace
  readonly REDIS?: DurableObjectNamespace
  readonly MEMCACHE?: DurableObjectNamespace
  readonly QUOTA?: DurableObjectNamespace
  /** Token of the operator plane; without it the plane refuses every caller. */
  readonly ADMIN_TOKEN?: string
  /** Rules as YAML, a document for each domain, for a deployment that has none. */
  readonly RATELIMIT_RULES?: string
}

/** The limiter: `ctx.exports.RateLimiter({ props })`, or a service binding of another Worker with this entrypoint. */
export declare class RateLimiter extends WorkerEntrypoint<RatelimitEnv, LimiterDefaults> implements Limiter {
  limit(request: LimitRequest): Promise<LimitResult>
  peek(request: PeekRequest): Promise<LimitResult>
  refund(request: LimitRequest): Promise<LimitResult>
  settle(request: SettleRequest): Promise<LimitResult>
  decide(request: DecideRequest): Promise<DecideResult>
}

/** The handler of the service over HTTP: decisions, the limiter and the operator plane. */
declare const service: {
  fetch(request: Request, env: RatelimitEnv, ctx: Pick<ExecutionContext, 'waitUntil'>): Promise<Response>
}

export { service as default }
