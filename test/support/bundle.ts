/**
 * Starts a built Worker in workerd behind the HTTP front of `npm start`, with its bindings read from `wrangler.toml`:
 * tests meet the connections that users meet.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorkers, type WorkerName } from '#bin/bundle-workers.ts'
import { type HttpFrontOptions, startHttpFront } from '#bin/http-front/front.ts'
import { createUpstream } from '#bin/http-front/upstream.ts'
import { projectRoot } from '#bin/project.ts'
import type { RuntimePlan } from '#bin/runtime/configuration.ts'
import { type RuntimeOptions, type RuntimeProcess, startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker, type WorkerRun } from '#bin/runtime/worker-plan.ts'
import { freePort } from './process.ts'

/** Options of a start. */
export interface BundleOptions extends Omit<RuntimeOptions, 'inspectorPort'> {
  /** Name of the Worker; `index` has all surfaces. */
  readonly worker?: WorkerName
  /** Variables and secrets on top of those of `wrangler.toml`. */
  readonly vars?: Readonly<Record<string, string>>
  /** The UNIX socket of a relay to stores. */
  readonly storeRelay?: string
  /** Servers by the name of the binding that leads to them, as `HOST:PORT`. */
  readonly services?: Readonly<Record<string, string>>
  /** The server behind the Cache API, as `HOST:PORT`. */
  readonly cache?: string
  /** True when a Worker with one surface serves pages too. */
  readonly hasPages?: boolean
  /** Folder that keeps Durable Object storage; a new one, removed at the end, when absent. */
  readonly persist?: string
  /** True to bundle first; absent where `npm run build` or an earlier start has done so. */
  readonly rebuild?: boolean
}

/** A Worker that runs. */
export interface RunningBundle {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  /** The runtime behind the front, where WebSockets are taken. */
  readonly runtimeUrl: string
  /** The runtime's process. */
  readonly pid: number
  /** Restarts the runtime with other variables; storage and address stay, and the address is given again. */
  restart(vars: Readonly<Record<string, string>>): Promise<string>
  stop(): Promise<void>
}

/** Starts a built Worker; `stop()` ends the runtime and removes what it wrote. */
export async function startBundle(options: BundleOptions = {}): Promise<RunningBundle> {
  const { worker = 'index', vars = {}, rebuild = false } = options
  if (rebuild) await bundleWorkers([worker])
  const persist = options.persist ?? (await mkdtemp(join(tmpdir(), 'sluice-')))
  // While the runtime restarts, a connection of another program could take a port that the system chose.
  const address = `127.0.0.1:${await freePort()}`
  let runtime = await start(vars)
  const front = await startFrontOf(new URL(`http://${address}`))

  function start(overrides: Readonly<Record<string, string>>): Promise<RuntimeProcess> {
    return startRuntimeProcess(planBundle(address, persist, { ...options, worker, vars: overrides }), {
      onLine: () => undefined,
      ...options,
    })
  }

  return {
    url: front.url,
    runtimeUrl: `http://${address}`,
    get pid() {
      return runtime.pid
    },
    async restart(overrides) {
      await runtime.stop()
      runtime = await start(overrides)
      return front.url
    },
    async stop() {
      await front.stop()
      await runtime.stop()
      if (options.persist === undefined) await rm(persist, { recursive: true, force: true })
    },
  }
}

function planBundle(
  address: string,
  state: string,
  { services = {}, storeRelay, cache, ...run }: BundleOptions & Pick<WorkerRun, 'worker' | 'vars'>,
): RuntimePlan {
  const externals = Object.entries({
    ...services,
    ...(storeRelay !== undefined && { STORE_RELAY: `unix:${storeRelay}` }),
  }).map(([binding, target]) => ({ binding, name: `external-${binding}`, address: target }))
  const worker = planWorker({
    ...run,
    services: Object.fromEntries(externals.map(({ binding, name }) => [binding, name])),
    ...(cache !== undefined && { cache: 'cache' }),
  })
  return {
    workers: [worker],
    sockets: [{ name: 'http', address, service: worker.name }],
    externals: cache === undefined ? externals : [...externals, { name: 'cache', address: cache }],
    state,
    pages: join(projectRoot, 'public'),
  }
}

/** A front that runs before one address of a runtime. */
export interface RunningFront {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  stop(): Promise<void>
}

/** The token of the node's operator's port in tests. */
export const operatorToken = 'operator-token-of-the-tests'

/** The operator's port of a bundle that was started with `operatorToken`, as `npm start` opens it on loopback. */
export function startOperatorPort({ url }: Pick<RunningBundle, 'url'>): Promise<RunningFront> {
  const fields = { authorization: `Bearer ${operatorToken}` }
  return startFrontOf(new URL(url), { prefix: '/streamnet/admin', fields })
}

/** Starts the front of `npm start` before a runtime at an address. */
export async function startFrontOf(
  { hostname: host, port }: URL,
  options: Pick<HttpFrontOptions, 'prefix' | 'fields' | 'decider'> = {},
): Promise<RunningFront> {
  const upstream = createUpstream({ host, port: Number(port) })
  const front = await startHttpFront({ upstream, ...options })
  return {
    url: `http://127.0.0.1:${front.port}`,
    async stop() {
      await front.stop(0)
      await upstream.close()
    },
  }
}
