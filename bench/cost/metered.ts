/** Runs the metered Worker, and says what a piece of work used. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { workerBundle } from '#bin/bundle-workers.ts'
import { projectRoot } from '#bin/project.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import { processorSeconds } from '../servers.ts'
import type { Usage } from './prices.ts'

/** A metered Worker. */
export interface MeteredWorker {
  readonly url: string
  /** Does something so many times and says what it used, with what follows after the answers. */
  use(workerRequests: number, work: () => Promise<unknown>): Promise<Usage>
  stop(): Promise<void>
}

/** Time until the work after an answer (statistics, cleaning up in groups) has ended. */
const settledAfterMs = 2_000

/** Starts the combined Worker with some variables. */
export async function startMetered(vars: Readonly<Record<string, string>>): Promise<MeteredWorker> {
  const script = join(projectRoot, '.build/bench/cost-worker.js')
  await build({ ...workerBundle, write: true, entryPoints: ['bench/bare/metered.ts'], outfile: script })
  const storage = await mkdtemp(join(tmpdir(), 'sluice-cost-'))
  const worker = planWorker({ worker: 'index', script, vars, hasPages: false })
  const sockets = [{ name: 'http', address: '127.0.0.1:0', service: worker.name }]
  const runtime = await startRuntimeProcess({ workers: [worker], sockets, state: storage })
  const url = `http://127.0.0.1:${runtime.port('http')}`
  const { pid } = runtime
  const readMeter = async () => (await (await fetch(`${url}/meter`)).json()) as Omit<Usage, 'workerRequests' | 'cpuMs'>
  return {
    url,
    async use(workerRequests, work) {
      await sleep(settledAfterMs)
      await readMeter()
      const before = processorSeconds(pid)
      await work()
      await sleep(settledAfterMs)
      const cpuMs = (processorSeconds(pid) - before) * 1000
      return { ...(await readMeter()), workerRequests, cpuMs }
    },
    async stop() {
      await runtime.stop()
      await rm(storage, { recursive: true, force: true })
    },
  }
}
