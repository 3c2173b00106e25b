/** The runtime of `npm start`: the Worker in workerd, on a socket that other users and pages cannot reach. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UpstreamAddress } from '../http-front/upstream.ts'
import { projectRoot } from '../project.ts'
import type { RuntimePlan, SocketPlan } from '../runtime/configuration.ts'
import { planWorker } from '../runtime/worker-plan.ts'
import { superviseRuntime } from './supervision.ts'

interface RuntimeOptions {
  /** Variables and secrets of the Worker. */
  readonly vars: Readonly<Record<string, string>>
  /** The UNIX socket of the relay to stores; undefined where no store needs it. */
  readonly storeRelay: string | undefined
  /** The UNIX socket of the profiler. */
  readonly profiler: string
  /** A port of 127.0.0.1 for the runtime's inspector; 0 for none. */
  readonly inspectorPort: number
  /** The state folder: Durable Object storage is below it. */
  readonly folder: string
  /** A port of 127.0.0.1 that leads to the runtime without the front; 0 for none. */
  readonly barePort: number
  readonly say: (line: string) => void
}

/** Starts workerd and waits until it listens; when it ends it is started again, on the same socket. */
export async function startRuntime(options: RuntimeOptions) {
  const { folder, inspectorPort, say } = options
  // A folder that only this user can enter; the path of a socket has at most 107 bytes, so it is not the state's.
  const socketFolder = mkdtempSync(join(tmpdir(), 'sluice-'))
  const socketPath = join(socketFolder, 'http')
  // A runtime that was killed leaves its socket behind, and the next one could not listen there.
  const onDown = () => rmSync(socketPath, { force: true })
  const supervision = { inspectorPort, folder, say, onDown }
  const { failed, stop } = await superviseRuntime(planStart(socketPath, options), supervision)
  return {
    address: { socketPath } satisfies UpstreamAddress,
    failed,
    async stop(): Promise<void> {
      await stop()
      rmSync(socketFolder, { recursive: true, force: true })
    },
  }
}

function planStart(socketPath: string, options: RuntimeOptions): RuntimePlan {
  const { vars, storeRelay, profiler, folder, barePort } = options
  const services = { PROFILER: 'profiler', ...(storeRelay !== undefined && { STORE_RELAY: 'store-relay' }) }
  const worker = planWorker({ worker: 'index', vars, services })
  const sockets: readonly SocketPlan[] = [
    { name: 'http', address: `unix:${socketPath}`, service: worker.name },
    ...(barePort > 0 ? [{ name: 'bare', address: `127.0.0.1:${barePort}`, service: worker.name }] : []),
  ]
  return {
    workers: [worker],
    sockets,
    externals: [
      { name: 'profiler', address: `unix:${profiler}` },
      // `connect()` on a service of HTTP is the method CONNECT.
      ...(storeRelay === undefined ? [] : [{ name: 'store-relay', address: `unix:${storeRelay}` }]),
    ],
    state: join(folder, 'state'),
    pages: join(projectRoot, 'public'),
  }
}
