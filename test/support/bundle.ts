/**
 * Starts a built Worker in workerd behind the HTTP front of `npm start`, with its bindings read from `wrangler.toml`:
 * tests meet the connections that users meet.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Miniflare, type MiniflareOptions, type WorkerOptions } from 'miniflare'
import { bundlePath, bundleWorkers, type WorkerName } from '#bin/bundle-workers.ts'
import { type HttpFrontOptions, startHttpFront } from '#bin/http-front/front.ts'
import { createUpstream } from '#bin/http-front/upstream.ts'
import { socketOf } from '#bin/start/runtime.ts'
import { workerOptions } from '#bin/worker-options.ts'
import { freePort } from './process.ts'

/** What to start, and with what. */
export interface BundleOptions {
  /** Which Worker; `index` is the whole. */
  readonly worker?: WorkerName
  /** Variables and secrets on top of those of `wrangler.toml`. */
  readonly vars?: Readonly<Record<string, string>>
  /** The UNIX socket of a relay to stores. */
  readonly storeRelay?: string
  /** Analytics Engine datasets by the name of their binding. */
  readonly datasets?: WorkerOptions['analyticsEngineDatasets']
  /** Further service bindings by name. */
  readonly services?: WorkerOptions['serviceBindings']
  /** Whether a Worker with one surface serves pages too. */
  readonly hasPages?: boolean
  /** Folder that keeps Durable Object storage; a new one, removed at the end, when absent. */
  readonly persist?: string
  /** Whether to bundle first; leave out where `npm run build` or an earlier start has done so. */
  readonly rebuild?: boolean
  /** Gets each line that the runtime prints. */
  readonly onLine?: (line: string) => void
}

/** A Worker that runs. */
export interface RunningBundle {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  /** The runtime behind the front, where WebSockets are taken. */
  readonly runtimeUrl: string
  readonly miniflare: Miniflare
  /** Restarts the runtime with other variables; storage and address stay, and the address is given again. */
  restart(vars: Readonly<Record<string, string>>): Promise<string>
  stop(): Promise<void>
}

/** Starts a built Worker; `stop()` ends the runtime and removes what it wrote. */
export async function startBundle(options: BundleOptions = {}): Promise<RunningBundle> {
  const { worker = 'index', vars = {}, rebuild = false, onLine } = options
  if (rebuild) await bundleWorkers([worker])
  const persist = options.persist ?? (await mkdtemp(join(tmpdir(), 'sluice-')))
  // While the runtime restarts, a connection of another program could take a port that the system chose.
  const [port, socketPort] = [await freePort(), await freePort()]
  const settings = (overrides: Readonly<Record<string, string>>): MiniflareOptions => ({
    host: '127.0.0.1',
    port,
    cf: false,
    durableObjectsPersist: persist,
    ...(onLine && {
      handleRuntimeStdio(...streams: Readable[]) {
        for (const input of streams) createInterface({ input }).on('line', onLine)
      },
    }),
    workers: [
      withBindings(
        workerOptions({
          worker,
          script: bundlePath(worker),
          vars: overrides,
          ...(options.storeRelay !== undefined && { storeRelay: options.storeRelay }),
          ...(options.hasPages !== undefined && { hasPages: options.hasPages }),
          address: { host: '127.0.0.1', port: 0 },
        }),
        options,
      ),
      socketOf('socket', worker, { host: '127.0.0.1', port: socketPort }),
    ],
  })
  const miniflare = new Miniflare(settings(vars))
  const runtimeUrl = await miniflare.unsafeGetDirectURL('socket')
  const front = await startFrontOf(runtimeUrl)
  const { url } = front
  return {
    url,
    runtimeUrl: runtimeUrl.origin,
    miniflare,
    async restart(overrides) {
      await miniflare.setOptions(settings(overrides))
      return url
    },
    async stop() {
      await front.stop()
      await miniflare.dispose()
      if (options.persist === undefined) await rm(persist, { recursive: true, force: true })
    },
  }
}

/** A Worker's options with further bindings. */
function withBindings(worker: WorkerOptions, { services, datasets }: BundleOptions): WorkerOptions {
  return {
    ...worker,
    serviceBindings: { ...worker.serviceBindings, ...services },
    ...(datasets && { analyticsEngineDatasets: datasets }),
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
  options: Pick<HttpFrontOptions, 'prefix' | 'fields'> = {},
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
