/**
 * The runtime of `npm start`: the Workers in workerd, on a socket that other users and pages cannot reach.
 *
 * Miniflare opens two more ports, on 127.0.0.1 and with numbers that change: the entry of the runtime,
 * and a server in this process that writes files for any caller. Neither can be turned off, so the first leads to a
 * Worker that refuses everything, and `refuseForeignPorts` closes every connection to the second.
 */

import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MiniflareOptions, normaliseDurableObject, type WorkerOptions } from 'miniflare'
import { bundlePath } from '../bundle-workers.ts'
import type { UpstreamAddress } from '../http-front/upstream.ts'
import { type WorkerRun, workerOptions } from '../worker-options.ts'
import { superviseRuntime } from './supervision.ts'

/** What the runtime is started with. */
export interface RuntimeOptions {
  /** Variables and secrets of the Workers. */
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
  /** Takes one line for a person. */
  readonly say: (line: string) => void
}

/** A runtime that runs. */
export interface Runtime {
  /** Where it listens. */
  readonly address: UpstreamAddress
  /** Settles with one line when it ended too often to be started again. */
  readonly failed: Promise<string>
  stop(): Promise<void>
}

/** Starts workerd and waits until it listens; when it ends it is started again, on the same socket. */
export async function startRuntime({
  vars,
  storeRelay,
  profiler,
  inspectorPort,
  folder,
  barePort,
  say,
}: RuntimeOptions): Promise<Runtime> {
  // A folder that only this user can enter; the path of a socket has at most 107 bytes, so it is not the state's.
  const socketFolder = mkdtempSync(join(tmpdir(), 'sluice-'))
  // Miniflare puts the port behind the host, which makes it part of the path.
  const socketPath = `${socketFolder}/http:0`
  const name = `index-${randomBytes(16).toString('hex')}`
  const options: MiniflareOptions = {
    host: '127.0.0.1',
    port: 0,
    cf: false,
    ...(inspectorPort > 0 && { inspectorPort }),
    durableObjectsPersist: join(folder, 'state'),
    workers: [
      entry(),
      frontDoor(name, { vars, profiler, ...(storeRelay !== undefined && { storeRelay }) }),
      socketOf('runtime-socket', name, { host: `unix:${socketFolder}/http`, port: 0 }),
      ...(barePort > 0 ? [socketOf('bare-port', name, { host: '127.0.0.1', port: barePort })] : []),
    ],
  }
  // A runtime that was killed leaves its socket behind, and the next one could not listen there.
  const onDown = () => rmSync(socketPath, { force: true })
  const { failed, stop } = await superviseRuntime(options, folder, { say, onDown })
  return {
    address: { socketPath },
    failed,
    async stop() {
      await stop()
      rmSync(socketFolder, { recursive: true, force: true })
    },
  }
}

/**
 * Closes every connection that comes to a server of this process on another port than these.
 *
 * @returns a function that ends it.
 */
export function refuseForeignPorts(own: ReadonlySet<number>): () => void {
  const close = (message: unknown) => {
    // The channel's message is `{ socket }`, as the documentation of Node's `diagnostics_channel` says.
    const { socket } = message as { socket: Socket }
    if (socket.localPort !== undefined && !own.has(socket.localPort)) socket.destroy()
  }
  subscribe('net.server.socket', close)
  return () => void unsubscribe('net.server.socket', close)
}

const compatibilityDate = '2026-04-20'

/** The first Worker is the one that the runtime's own entry leads to. */
function entry(): WorkerOptions {
  return {
    name: 'entry',
    compatibilityDate,
    modules: [
      {
        type: 'ESModule',
        path: 'entry.js',
        contents: 'export default { fetch: () => new Response("Forbidden\\n", { status: 403 }) }',
      },
    ],
  }
}

/** The services. At the runtime's entry a header can ask for a Worker by name, so this name cannot be guessed. */
function frontDoor(name: string, run: Pick<WorkerRun, 'vars' | 'storeRelay' | 'profiler'>): WorkerOptions {
  const {
    unsafeDirectSockets: _,
    durableObjects = {},
    ...options
  } = workerOptions({
    worker: 'index',
    script: bundlePath('index'),
    ...run,
    address: { host: '127.0.0.1', port: 0 },
  })
  return { ...options, name, durableObjects: keepStorageNames(durableObjects) }
}

type Objects = NonNullable<NonNullable<WorkerOptions['durableObjects']>>

/** Storage is named for the Worker and the class; the Worker's usual name stays in it, so that state is found again. */
function keepStorageNames(objects: Objects): Objects {
  return Object.fromEntries(
    Object.entries(objects).map(([binding, designator]) => {
      const { className, enableSql: useSQLite } = normaliseDurableObject(designator)
      return [binding, { className, useSQLite, unsafeUniqueKey: `index-${className}` }]
    }),
  )
}

/**
 * A socket that leads to a Worker, as the only use of another one: straight to it, past the router that the runtime
 * puts before a Worker that has pages. Pages are asked for by the Worker itself. With the router, a connection is
 * closed without notice after each answer that did not need the request's body.
 */
export function socketOf(
  name: string,
  serviceName: string,
  address: { readonly host: string; readonly port: number },
): WorkerOptions {
  return { ...entry(), name, unsafeDirectSockets: [{ ...address, serviceName }] }
}
