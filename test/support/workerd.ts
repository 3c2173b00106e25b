/** A built Worker in a separate workerd, so that it can be killed like a machine that loses power. */

import { join } from 'node:path'
import { bundlePath, type WorkerName } from '#bin/bundle-workers.ts'
import type { BindingPlan, WorkerPlan } from '#bin/runtime/configuration.ts'
import { readDeployment } from '#bin/runtime/deployment.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'

/** The compatibility date of Workers that tests write themselves: that of `wrangler.toml`. */
export const compatibilityDate = '2026-10-23'

/** Options of a run. */
export interface WorkerdOptions {
  /** Absolute path of a bundled Worker. */
  readonly script: string
  /** Durable Object classes by binding. */
  readonly objects?: Readonly<Record<string, string>>
  readonly vars?: Readonly<Record<string, string>>
  /** Folder for the objects' storage; given again, the objects are there again. */
  readonly folder: string
}

/** The script and the objects of a Worker as it was bundled. */
export function bundledWorker(name: WorkerName): Pick<WorkerdOptions, 'script' | 'objects'> {
  const objects = readDeployment(name).objects.map(({ binding, className }) => [binding, className] as const)
  return { script: bundlePath(name), objects: Object.fromEntries(objects) }
}

/** A workerd that runs. */
export interface Workerd {
  readonly url: string
  readonly pid: number
  /** Ends it at once, as `kill -9` does. */
  kill(): Promise<void>
}

/** Starts workerd and waits until it listens. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const plan = {
    workers: [planScript(options)],
    sockets: [{ name: 'http', address: '127.0.0.1:0', service: 'main' }],
    state: join(options.folder, 'objects'),
  }
  const runtime = await startRuntimeProcess(plan, { onLine: () => undefined })
  return { url: `http://127.0.0.1:${runtime.port('http')}`, pid: runtime.pid, kill: runtime.stop }
}

function planScript({ script, objects = {}, vars = {} }: WorkerdOptions): WorkerPlan {
  const classes = [...new Set(Object.values(objects))]
  const bindings: readonly BindingPlan[] = [
    ...Object.entries(objects).map(([name, className]) => ({ name, className })),
    ...Object.entries(vars).map(([name, text]) => ({ name, text })),
  ]
  return {
    name: 'main',
    modules: [{ name: 'worker.js', path: script }],
    compatibilityDate,
    compatibilityFlags: ['enable_request_signal'],
    objects: classes.map((className) => ({ className, uniqueKey: className })),
    bindings,
  }
}
