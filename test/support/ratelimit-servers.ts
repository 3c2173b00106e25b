/** A running rate limit service as tests talk to it: configuration, statistics and decisions over HTTP. */

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import type { WorkerPlan } from '#bin/runtime/configuration.ts'
import { readDeployment } from '#bin/runtime/deployment.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import { startFrontOf } from './bundle.ts'
import { must } from './must.ts'
import { planApart, planTogether } from './one-isolate.ts'

/** The operator plane's token in tests. */
export const adminToken = 'token-of-the-tests'

/** The token of fronts in tests. */
export const frontToken = 'front-token-of-the-tests'

/** A configuration file with one domain and one rule per key, in flow style. */
export function oneLimit(domain: string, unit: string, requestsPerUnit: number, key = 'k'): string {
  return `domain: ${domain}\ndescriptors:\n  - key: ${key}\n    rate_limit: {unit: ${unit}, requests_per_unit: ${requestsPerUnit}}\n`
}

/** The body of a question with descriptors of one entry each. */
export function question(domain: string, ...entries: readonly (readonly [key: string, value: string])[]): string {
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
      const response = await operate('/config/files', { method: 'PUT', body: JSON.stringify({ files: named }) })
      if (response.ok) return null
      const { error } = (await response.json()) as { error: { message: string } }
      return error.message
    },
    async stats() {
      const text = await (await operate('/stats')).text()
      const lines = text.split('\n').filter((line) => line !== '')
      return Object.fromEntries(
        lines.map((line) => [line.slice(0, line.lastIndexOf(': ')), Number(line.slice(line.lastIndexOf(': ') + 2))]),
      )
    },
  }
}

/** Services that run side by side in one process, each with its own settings and storage. */
export interface Services {
  readonly clients: readonly ServiceClient[]
  /** Addresses of the runtime's own sockets, in the order of the clients: the fronts of HTTP carry no WebSockets. */
  readonly runtimeUrls: readonly string[]
  /** Classes of which a service has stored an object. */
  objects(place: number): Promise<readonly string[]>
  stop(): Promise<void>
}

/** Classes of other Workers that take the place of a service's own, by the name of the binding. */
export type ForeignObjects = Readonly<Record<string, { readonly className: string; readonly worker: string }>>

/** A Worker beside the services, as the text of its module. */
export interface OtherWorker {
  readonly name: string
  readonly script: string
  /** The classes of Durable Objects that it exports. */
  readonly classes: readonly string[]
}

/** Further parts of `startServices`. */
export interface ServicesOptions {
  /** For every service in turn, objects that live elsewhere; services are named `service-0`, `service-1` ... */
  readonly objects?: readonly ForeignObjects[]
  readonly others?: readonly OtherWorker[]
  /** Gets every line that the services print. */
  readonly onLine?: (line: string) => void
}

/**
 * Starts one service for every set of variables; the bundle must have been built.
 *
 * They share an isolate, unless objects that live elsewhere say that they are apart.
 */
export async function startServices(
  all: readonly Readonly<Record<string, string>>[],
  { objects = [], others = [], onLine = () => undefined }: ServicesOptions = {},
): Promise<Services> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  const state = join(folder, 'state')
  const services = all.map((vars, place) => {
    const run = {
      worker: 'ratelimit',
      name: `service-${place}`,
      vars: { ADMIN_TOKEN: adminToken, FRONT_TOKEN: frontToken, ...vars },
    } as const
    return replaceObjects(planWorker(run), objects[place] ?? {})
  })
  const beside = await Promise.all(others.map((other) => planOther(other, folder)))
  const { workers, targets } = objects.length === 0 ? await planTogether(services, folder) : planApart(services)
  const sockets = services.map(({ name }, place) => ({ name, address: '127.0.0.1:0', ...must(targets[place]) }))
  const runtime = await startRuntimeProcess({ workers: [...workers, ...beside], sockets, state }, { onLine })
  const runtimeUrls = services.map(({ name }) => `http://127.0.0.1:${runtime.port(name)}`)
  const fronts = await Promise.all(runtimeUrls.map((url) => startFrontOf(new URL(url))))
  return {
    clients: fronts.map(({ url }) => serviceClient(url)),
    runtimeUrls,
    async objects(place) {
      const prefix = `service-${place}-`
      const folders = (await readdir(state)).filter((name) => name.startsWith(prefix))
      const files = await Promise.all(folders.map((name) => readdir(join(state, name))))
      const isStored = (at: number) => files[at]?.some((name) => /^[0-9a-f]{64}\.sqlite$/.test(name)) === true
      return folders.filter((_, at) => isStored(at)).map((name) => name.slice(prefix.length))
    },
    async stop() {
      await Promise.all(fronts.map((front) => front.stop()))
      await runtime.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function replaceObjects(plan: WorkerPlan, foreign: ForeignObjects): WorkerPlan {
  const bindings = plan.bindings.map((binding) => ({ ...binding, ...foreign[binding.name] }))
  return { ...plan, bindings }
}

async function planOther({ name, script, classes }: OtherWorker, folder: string): Promise<WorkerPlan> {
  const path = join(folder, `${name}.js`)
  await writeFile(path, script)
  return {
    name,
    modules: [{ name: 'worker.js', path }],
    compatibilityDate: readDeployment('ratelimit').compatibilityDate,
    compatibilityFlags: [],
    objects: classes.map((className) => ({ className, uniqueKey: `${name}-${className}` })),
    bindings: [],
  }
}

/** Bundles the service as it is deployed. */
export async function buildService(): Promise<void> {
  await bundleWorkers(['ratelimit'])
}
