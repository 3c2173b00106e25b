/** The bindings and secrets of each surface, as `wrangler.toml` and the deployment give them. */

/** What the rate limit service is given. */
export interface RatelimitEnv {
  readonly COUNTER: DurableObjectNamespace<import('./counter.ts').CounterObject>
  readonly RULE_BOOK: DurableObjectNamespace<import('./rule-book.ts').RuleBookObject>
  readonly STATS: DurableObjectNamespace<import('./stats.ts').StatsObject>
  /** Connections to Redis, used with `BACKEND_TYPE=redis`. */
  readonly REDIS: DurableObjectNamespace<import('./redis.ts').RedisObject>
  /** Connections to memcached, used with `BACKEND_TYPE=memcache`. */
  readonly MEMCACHE: DurableObjectNamespace<import('./memcache.ts').MemcacheObject>
  /** The operator plane's token; without it the operator plane refuses everybody. */
  readonly ADMIN_TOKEN?: string
  /** A setting that a CounterObject reads for itself; see `src/ratelimit/setting-table.ts`. */
  readonly COUNTER_DURABILITY?: string
}

/** What the grid simulation is given. */
// biome-ignore lint/suspicious/noEmptyInterface: its bindings come with its first object
export interface GridEnv {}

/** What the stream gateway and the development node are given; the node's variables are those of `nodeVariables`. */
export interface StreamnetEnv {
  readonly NODE: DurableObjectNamespace<import('./node.ts').NodeObject>
}

/** What the combined Worker is given: every surface's bindings and the pages. */
export interface Env extends RatelimitEnv, GridEnv, StreamnetEnv {
  readonly ASSETS?: Fetcher
}
