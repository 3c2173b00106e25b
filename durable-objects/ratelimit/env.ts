/** The bindings and secrets of the rate limit service, as `wrangler.toml` and the deployment give them. */

/** Bindings and variables of the rate limit service. */
export interface RatelimitEnv {
  readonly COUNTER: DurableObjectNamespace<import('./counter.ts').CounterObject>
  /** Holds leases for a region, one object for each object of counters. */
  readonly LEASE_REGION: DurableObjectNamespace<import('./region.ts').RegionObject>
  readonly RULE_BOOK: DurableObjectNamespace<import('./rule-book.ts').RuleBookObject>
  readonly STATS: DurableObjectNamespace<import('./stats.ts').StatsObject>
  /** Connections to Redis, used with `BACKEND_TYPE=redis`. */
  readonly REDIS: DurableObjectNamespace<import('./redis.ts').RedisObject>
  /** Connections to memcached, used with `BACKEND_TYPE=memcache`. */
  readonly MEMCACHE: DurableObjectNamespace<import('./memcache.ts').MemcacheObject>
  /** Divides limits among Envoys, one object for each domain. */
  readonly QUOTA: DurableObjectNamespace<import('./quota.ts').QuotaObject>
  /** Connections of fronts that decide where the caller is, one object for each. */
  readonly FRONT: DurableObjectNamespace<import('./front.ts').FrontObject>
  /** Reaches stores that a Worker's own sockets cannot: `npm start` offers it, a deployment has none. */
  readonly STORE_RELAY?: Fetcher
  /** Takes profiles of the runtime: `npm start` offers it, a deployment has none. */
  readonly PROFILER?: Fetcher
  /** The operator plane's token; without it the operator plane refuses every caller. */
  readonly ADMIN_TOKEN?: string
  /** The token of fronts; without it no front connects. */
  readonly FRONT_TOKEN?: string
  /** A setting that a CounterObject reads for itself; see `src/ratelimit/setting-table.ts`. */
  readonly COUNTER_DURABILITY?: string
  /** Rules for a RuleBookObject that has none; see `src/ratelimit/config/shipped.ts`. */
  readonly RATELIMIT_RULES?: string
  /** The files of `public`: the console. */
  readonly ASSETS?: Fetcher
}

/** The StatsObject that all isolates and quota objects report to: one is enough until some thousand isolates do. */
export const statsName = 'stats:0'
/** The StatsObject that keeps the decisions. */
export const usageName = 'usage'
