/** A built Worker in a separate workerd, so that it can be killed like a machine that loses power. */

import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { freePort } from './process.ts'
import { eventually, once } from './wait.ts'

/** What to run. */
export interface WorkerdOptions {
  /** Absolute path of a bundled Worker. */
  readonly script: string
  /** Durable Object classes by binding. */
  readonly objects: Readonly<Record<string, string>>
  readonly vars: Readonly<Record<string, string>>
  /** Folder for the configuration and the objects' storage; given again, the objects are there again. */
  readonly folder: string
}

/** A workerd that runs. */
export interface Workerd {
  readonly url: string
  readonly pid: number
  /** Ends it at once, as `kill -9` does. */
  kill(): Promise<void>
}

/** Starts workerd and waits until it answers. */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  const { script, folder } = options
  const port = await freePort()
  await mkdir(join(folder, 'objects'), { recursive: true })
  await copyFile(script, join(folder, 'worker.js'))
  await writeFile(join(folder, 'config.capnp'), configText(options, port))
  const child = spawn(workerdPath(), ['serve', join(folder, 'config.capnp'), '--experimental'], {
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntilAnswering(url, child)
  return { url, pid: child.pid ?? 0, kill: () => kill(child) }
}

function configText({ objects, vars, folder }: WorkerdOptions, port: number): string {
  const text = JSON.stringify
  const classes = Object.values(objects).map(
    (name) => `(className=${text(name)},uniqueKey=${text(name)},enableSql=true)`,
  )
  const bindings = [
    ...Object.entries(objects).map(([name, to]) => `(name=${text(name)},durableObjectNamespace=${text(to)})`),
    ...Object.entries(vars).map(([name, value]) => `(name=${text(name)},text=${text(value)})`),
  ]
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "disk", disk = (path = ${text(join(folder, 'objects'))}, writable = true)),
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "2026-04-20",
      compatibilityFlags = ["nodejs_compat", "enable_request_signal"],
      durableObjectNamespaces = [${classes.join(', ')}],
      durableObjectStorage = (localDisk = "disk"),
      bindings = [${bindings.join(', ')}])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
}

async function waitUntilAnswering(url: string, child: ChildProcess): Promise<void> {
  const isUp = () => {
    if (child.exitCode !== null) throw new Error(`workerd did not start: exit code ${child.exitCode}`)
    return fetch(`${url}/healthcheck`).then(
      () => true,
      () => false,
    )
  }
  await eventually(`an answer of ${url}`, isUp, () => 'it runs and does not answer')
}

/** The runtime's program itself: the package's own command starts it through Node, which would be killed in its place. */
export function workerdPath(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('miniflare'))
  // The package's main module exports the binary's path as its default.
  return (require('workerd') as { default: string }).default
}
