/** Runs the metered Worker, and says what a piece of work used. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build, type Plugin } from 'esbuild'
import { workerBundle } from '#bin/bundle-workers.ts'
import { projectRoot } from '#bin/project.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import { processorSeconds } from '../servers.ts'
import type { Usage } from './prices.ts'

/** The use of a class of objects. */
export type ClassUsage = Omit<Usage, 'workerRequests' | 'cpuMs'>

/** A metered Worker. */
export interface MeteredWorker {
  readonly url: string
  /**
   * Moves the clock of the Worker and its objects, which is stopped from the first call on.
   *
   * @returns the alarms that wait, by binding.
   */
  advance(ms: number): Promise<Readonly<Record<string, number>>>
  /** Reads the meters by binding, and begins anew. */
  readMeters(): Promise<Readonly<Record<string, ClassUsage>>>
  /** Does something so many times and says what it used, with what follows after the answers. */
  use(workerRequests: number, work: () => Promise<unknown>): Promise<Usage>
  stop(): Promise<void>
}

/** Time until the work after an answer (statistics, cleaning up in groups) has ended. */
const settledAfterMs = 2_000

/** Bundles `metered-sockets.ts` in the place of the platform's sockets, which it has itself. */
const meteredSockets: Plugin = {
  name: 'metered sockets',
  setup({ onResolve }) {
    onResolve({ filter: /^cloudflare:sockets$/ }, ({ importer }) =>
      importer.endsWith('metered-sockets.ts')
        ? undefined
        : { path: join(projectRoot, 'bench/bare/metered-sockets.ts') },
    )
  },
}

/** Starts the combined Worker with some variables. */
export async function startMetered(vars: Readonly<Record<string, string>>): Promise<MeteredWorker> {
  const script = join(projectRoot, '.build/bench/cost-worker.js')
  const entryPoints = ['bench/bare/metered.ts']
  await build({ ...workerBundle, write: true, entryPoints, outfile: script, plugins: [meteredSockets] })
  const storage = await mkdtemp(join(tmpdir(), 'sluice-cost-'))
  const planned = planWorker({ worker: 'index', script, vars, hasPages: false })
  const worker = { ...planned, compatibilityFlags: [...planned.compatibilityFlags, 'nodejs_als'] }
  const sockets = [{ name: 'http', address: '127.0.0.1:0', service: worker.name }]
  const runtime = await startRuntimeProcess({ workers: [worker], sockets, state: storage })
  const url = `http://127.0.0.1:${runtime.port('http')}`
  const { pid } = runtime
  // What `bench/bare/metered.ts` answers.
  const readMeters = async () => (await (await fetch(`${url}/meter`)).json()) as Record<string, ClassUsage>
  return {
    url,
    readMeters,
    async advance(ms) {
      const answer = await fetch(`${url}/meter?advance=${ms}`)
      if (!answer.ok) throw new Error(`Cannot advance: ${answer.status} ${await answer.text()}`)
      return (await answer.json()) as Record<string, number>
    },
    async use(workerRequests, work) {
      await sleep(settledAfterMs)
      await readMeters()
      const before = processorSeconds(pid)
      await work()
      await sleep(settledAfterMs)
      const cpuMs = (processorSeconds(pid) - before) * 1000
      return { ...sumOf(Object.values(await readMeters())), workerRequests, cpuMs }
    },
    async stop() {
      await runtime.stop()
      await rm(storage, { recursive: true, force: true })
    },
  }
}

/** Adds up what classes used. */
export function sumOf(classes: readonly ClassUsage[]): ClassUsage {
  const sum = (name: keyof ClassUsage) => classes.reduce((total, one) => total + one[name], 0)
  return {
    objectRequests: sum('objectRequests'),
    objectMs: sum('objectMs'),
    rowsRead: sum('rowsRead'),
    rowsWritten: sum('rowsWritten'),
  }
}
