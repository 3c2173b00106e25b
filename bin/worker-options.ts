/** Turns an environment of `wrangler.toml` into the options of one Miniflare worker. */

import { dirname } from 'node:path'
import type { WorkerOptions } from 'miniflare'
import type { WorkerName } from './bundle-workers.ts'
import { readDeployment } from './deployment.ts'

/** Which Worker to run, from which file, with which variables, on which socket. */
export interface WorkerRun {
  readonly worker: WorkerName
  /** Absolute path of the bundled script. */
  readonly script: string
  /** Variables and secrets on top of those of `wrangler.toml`. */
  readonly vars: Readonly<Record<string, string>>
  /** The UNIX socket of the relay to stores; the Worker has no such binding when absent. */
  readonly storeRelay?: string
  /** The UNIX socket of the profiler; likewise. */
  readonly profiler?: string
  /** Whether a Worker with one surface serves pages too, as it does where it is deployed. */
  readonly hasPages?: boolean
  /** The socket that leads straight to this Worker; port 0 lets the system choose. */
  readonly address: { readonly host: string; readonly port: number }
}

/**
 * Reads the bindings of a Worker from `wrangler.toml`, so that no binding is written down twice.
 *
 * The direct socket matters: Miniflare's own entry costs two thirds of the runtime's throughput.
 */
export function workerOptions({
  worker,
  script,
  vars,
  storeRelay,
  profiler,
  hasPages = worker === 'index',
  address,
}: WorkerRun): WorkerOptions {
  const { assets, ...options } = readDeployment(worker)
  return {
    ...options,
    // With pages comes a router of the runtime's own before every request, so only the front door has them here.
    ...(hasPages && assets !== undefined && { assets }),
    ...(vars.COUNTER_PLACEMENT?.toLowerCase() === 'shard' && {
      durableObjects: keepShards(options.durableObjects ?? {}),
    }),
    serviceBindings: {
      ...options.serviceBindings,
      // `connect()` on a service of HTTP is the method CONNECT.
      ...(storeRelay !== undefined && {
        STORE_RELAY: { external: { address: `unix:${storeRelay}`, http: {} } },
      }),
      ...(profiler !== undefined && { PROFILER: { external: { address: `unix:${profiler}`, http: {} } } }),
    },
    name: worker,
    bindings: { ...options.bindings, ...vars },
    // The explicit form: letting Miniflare walk the imports fails on optional dynamic ones.
    modules: [{ type: 'ESModule', path: script }],
    // Else names of modules are relative to the current folder, and the runtime takes none that begins with "..".
    modulesRoot: dirname(script),
    unsafeDirectSockets: [address],
  }
}

type Objects = NonNullable<WorkerOptions['durableObjects']>

/**
 * Keeps the shards of counters in the runtime for good: they are few, and this runtime can end when the alarm of an
 * object comes while it forgets that object (`durable-objects/ratelimit/counter/cleanup.ts`).
 */
function keepShards(objects: Objects): Objects {
  const { COUNTER: counter, ...others } = objects
  if (counter === undefined) return objects
  const options = typeof counter === 'string' ? { className: counter } : counter
  // A symbol would name an object of another process; no Worker here has one.
  return typeof options === 'symbol'
    ? objects
    : { ...others, COUNTER: { ...options, unsafePreventEviction: true } }
}
