/** A running rate limit service as tests talk to it: configuration, statistics and decisions over HTTP. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Miniflare, type WorkerOptions } from 'miniflare'
import { bundlePath, bundleWorkers } from '#bin/bundle-workers.ts'
import { workerOptions } from '#bin/worker-options.ts'
import { startFrontOf } from './bundle.ts'

/** The operator plane's token in tests. */
export const adminToken = 'token-of-the-tests'

/** A configuration file with one domain and one rule per key, in flow style. */
export function oneLimit(domain: string, unit: string, requestsPerUnit: number, key = 'k'): string {
  return `domain: ${domain}\ndescriptors:\n  - key: ${key}\n    rate_limit: {unit: ${unit}, requests_per_unit: ${requestsPerUnit}}\n`
}

/** The body of a question with descriptors of one entry each. */
export function question(
  domain: string,
  ...entries: readonly (readonly [key: string, value: string])[]
): string {
  const descriptors = entries.map(([key, value]) => ({ entries: [{ key, value }] }))
  return JSON.stringify({ domain, descriptors })
}

/** Talks to one service. */
export interface ServiceClient {
  readonly url: string
  decide(body: string | Uint8Array<ArrayBuffer>): Promise<Response>
  /** Calls the operator plane with the token. */
  operate(path: string, init?: RequestInit): Promise<Response>
  /** Replaces the configuration; null when it was taken, otherwise the error's message. */
  load(files: readonly string[]): Promise<string | null>
  stats(): Promise<Readonly<Record<string, number>>>
}

/** Makes a client of the service at `url`. */
export function serviceClient(url: string): ServiceClient {
  const operate = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${adminToken}`, ...init.headers } })
  return {
    url,
    operate,
    decide: (body) => fetch(`${url}/json`, { method: 'POST', body }),
    async load(files) {
      const named = Object.fromEntries(files.map((text, index) => [`config.file${index}.yaml`, text]))
      const response = await operate('/config/files', {
        method: 'PUT',
        body: JSON.stringify({ files: named }),
      })
      if (response.ok) return null
      const { error } = (await response.json()) as { error: { message: string } }
      return error.message
    },
    async stats() {
      const text = await (await operate('/stats')).text()
      const lines = text.split('\n').filter((line) => line !== '')
      return Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.lastIndexOf(': ')),
          Number(line.slice(line.lastIndexOf(': ') + 2)),
        ]),
      )
    },
  }
}

/** Services that run side by side in one process, each with its own settings and storage. */
export interface Services {
  readonly clients: readonly ServiceClient[]
  /** Classes of which a service has stored an object. */
  objects(place: number): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Where a service's objects live when not with itself: binding name to class and the name of the other Worker. */
export type ForeignObjects = Readonly<
  Record<string, { className: string; scriptName: string; useSQLite: true }>
>

/** What `startServices` may be told besides. */
export interface ServicesOptions {
  /** For every service in turn, objects that live elsewhere; services are named `service-0`, `service-1` ... */
  readonly objects?: readonly ForeignObjects[]
  /** Further Workers beside the services. */
  readonly others?: readonly WorkerOptions[]
  /** Told every line that the services print. */
  readonly onLine?: (line: string) => void
}

/** Starts one service for every set of variables; the bundle must have been built. */
export async function startServices(
  all: readonly Readonly<Record<string, string>>[],
  { objects = [], others = [], onLine }: ServicesOptions = {},
): Promise<Services> {
  const persist = await mkdtemp(join(tmpdir(), 'sluice-'))
  const address = { host: '127.0.0.1', port: 0 }
  const script = bundlePath('ratelimit')
  // Dozens of services start together: without the source map each takes a fifth of the time.
  const contents = (await readFile(script, 'utf8')).replace(/^\/\/# sourceMappingURL=.*$/m, '')
  const options = workerOptions({ worker: 'ratelimit', script, vars: { ADMIN_TOKEN: adminToken }, address })
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    durableObjectsPersist: persist,
    ...(onLine && {
      handleRuntimeStdio(...streams: Readable[]) {
        for (const input of streams) createInterface({ input }).on('line', onLine)
      },
    }),
    workers: [
      ...all.map((vars, index) => ({
        ...options,
        durableObjects: { ...options.durableObjects, ...objects[index] },
        modules: [{ type: 'ESModule' as const, path: script, contents }],
        bindings: { ...options.bindings, ...vars },
        name: `service-${index}`,
      })),
      ...others,
    ],
  })
  const fronts = await Promise.all(
    all.map(async (_, index) => startFrontOf(await miniflare.unsafeGetDirectURL(`service-${index}`))),
  )
  return {
    clients: fronts.map(({ url }) => serviceClient(url)),
    async objects(place) {
      const prefix = `service-${place}-`
      const folders = (await readdir(persist)).filter((name) => name.startsWith(prefix))
      const files = await Promise.all(folders.map((name) => readdir(join(persist, name))))
      const isStored = (at: number) => files[at]?.some((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) === true
      return folders.filter((_, at) => isStored(at)).map((name) => name.slice(prefix.length))
    },
    async stop() {
      await Promise.all(fronts.map((front) => front.stop()))
      await miniflare.dispose()
      await rm(persist, { recursive: true, force: true })
    },
  }
}

/** Bundles the service as it is deployed. */
export async function buildService(): Promise<void> {
  await bundleWorkers(['ratelimit'])
}
