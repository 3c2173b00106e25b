/** Starts a built Worker in workerd on a real socket, with its bindings read from `wrangler.toml`. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Miniflare, type MiniflareOptions } from 'miniflare'
import { bundlePath, bundleWorkers, type WorkerName } from '../../bin/bundle-workers.ts'
import { workerOptions } from '../../bin/worker-options.ts'

/** What to start, and with what. */
export interface BundleOptions {
  /** Which Worker; `index` is the whole. */
  readonly worker?: WorkerName
  /** Variables and secrets on top of those of `wrangler.toml`. */
  readonly vars?: Readonly<Record<string, string>>
  /** Folder that keeps Durable Object storage; a new one, removed at the end, when absent. */
  readonly persist?: string
  /** Whether to bundle first; leave out where `npm run build` or an earlier start has done so. */
  readonly rebuild?: boolean
}

/** A Worker that runs. */
export interface RunningBundle {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  readonly miniflare: Miniflare
  /** Restarts the runtime with other variables; storage stays. The address may change: use the new value. */
  restart(vars: Readonly<Record<string, string>>): Promise<string>
  stop(): Promise<void>
}

/** Starts a built Worker; `stop()` ends the runtime and removes what it wrote. */
export async function startBundle(options: BundleOptions = {}): Promise<RunningBundle> {
  const { worker = 'index', vars = {}, rebuild = false } = options
  if (rebuild) await bundleWorkers([worker])
  const persist = options.persist ?? (await mkdtemp(join(tmpdir(), 'sluice-')))
  const settings = (overrides: Readonly<Record<string, string>>): MiniflareOptions => ({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    durableObjectsPersist: persist,
    workers: [
      workerOptions({
        worker,
        script: bundlePath(worker),
        vars: overrides,
        address: { host: '127.0.0.1', port: 0 },
      }),
    ],
  })
  const miniflare = new Miniflare(settings(vars))
  const address = async () => (await miniflare.unsafeGetDirectURL(worker)).origin
  return {
    url: await address(),
    miniflare,
    async restart(overrides) {
      await miniflare.setOptions(settings(overrides))
      return address()
    },
    async stop() {
      await miniflare.dispose()
      if (options.persist === undefined) await rm(persist, { recursive: true, force: true })
    },
  }
}
