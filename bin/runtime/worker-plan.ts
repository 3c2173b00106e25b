/** Plans one of the Workers with its variables: bindings come from `wrangler.toml`, so that none is written twice. */

import { bundlePath, type WorkerName } from '../bundle-workers.ts'
import { type BindingPlan, pagesService, type WorkerPlan } from './configuration.ts'
import { type Deployment, readDeployment } from './deployment.ts'

/** The Worker to run, and with which variables and services. */
export interface WorkerRun {
  readonly worker: WorkerName
  /** Absolute path of the bundled script; that of `bundleWorkers` when absent. */
  readonly script?: string
  /** Its name in the process; `worker` when absent. */
  readonly name?: string
  /** Variables and secrets. */
  readonly vars: Readonly<Record<string, string>>
  /** Bindings to services of the process, by their names. */
  readonly services?: Readonly<Record<string, string>>
  /** The service behind the Cache API. */
  readonly cache?: string
  /** Binds the console's files; the Worker of all surfaces has them unless this is false. */
  readonly hasPages?: boolean
}

/** Plans a Worker; its objects keep their state under `NAME-CLASS`. */
export function planWorker({
  worker,
  script = bundlePath(worker),
  name = worker,
  vars,
  services = {},
  cache,
  hasPages = worker === 'index',
}: WorkerRun): WorkerPlan {
  const { objects, ...deployment } = readDeployment(worker)
  const staysInMemory = vars.COUNTER_PLACEMENT?.toLowerCase() === 'shard'
  return {
    ...deployment,
    name,
    ...(cache !== undefined && { cache }),
    modules: [{ name: 'worker.js', path: script }],
    objects: planObjects(objects, name, staysInMemory),
    bindings: [
      ...bindObjects(objects),
      ...Object.entries(vars).map(([variable, text]) => ({ name: variable, text })),
      ...Object.entries({ ...services, ...(hasPages && { ASSETS: pagesService }) }).map(([binding, service]) => ({
        name: binding,
        service,
      })),
    ],
  }
}

/** Binds a Worker's own classes. */
export function bindObjects(objects: Deployment['objects']): readonly BindingPlan[] {
  return objects.map(({ binding, className }) => ({ name: binding, className }))
}

/**
 * Names the storage of a Worker's classes.
 *
 * @param keepsCounters - keeps the shards of counters in memory for good: they are few, and this runtime can end when
 *   the alarm of an object comes while it forgets that object (`durable-objects/ratelimit/counter/cleanup.ts`).
 */
export function planObjects(
  objects: Deployment['objects'],
  worker: string,
  keepsCounters = false,
): WorkerPlan['objects'] {
  return objects.map(({ className }) => ({
    className,
    uniqueKey: `${worker}-${className}`,
    ...(keepsCounters && className === 'CounterObject' && { staysInMemory: true }),
  }))
}
