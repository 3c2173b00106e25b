/** The product as people run it, `npm start`, in a process group that can be killed like a machine that loses power. */

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { freePort } from '#test/support/process.ts'
import { eventually } from '#test/support/wait.ts'

/** Options of a service and the folder of its state. */
export interface ServicePlan {
  /** Rate limit configuration by file name; the example configuration when absent. */
  readonly rules?: Readonly<Record<string, string>>
  readonly vars?: Readonly<Record<string, string>>
  /** True to open the runtime's own port too, where fronts connect. */
  readonly hasBarePort?: boolean
}

/** The ports of a service, chosen once so that clients find it again after a kill. */
export interface Ports {
  readonly http: number
  readonly grpc: number
  readonly debug: number
  readonly node: number
  readonly admin: number
  /** 0 without one. */
  readonly bare: number
}

/** The tokens that the first start made. */
export interface Tokens {
  readonly ADMIN_TOKEN: string
  readonly GRID_TOKEN: string
  readonly STREAMNET_TOKEN: string
  readonly STREAMNET_PRIVATE_KEY: string
}

/** A service that can be killed and started again on the same ports and state. */
export interface Service {
  readonly url: string
  readonly ports: Ports
  /** Folder of state and secrets. */
  readonly folder: string
  tokens(): Tokens
  /** The command's process id now; null while it does not run. */
  command(): number | null
  /** The runtime's process id now; Linux only, null elsewhere or while none runs. */
  runtime(): number | null
  /** Memory of the runtime in MiB; NaN where it cannot be read. */
  memoryMiB(): number
  /** Output of the command since its last start. */
  output(): string
  /** Starts it and waits until it answers. */
  start(): Promise<void>
  /** Ends the command and its runtime at once, as `kill -9` of both does. */
  kill(): Promise<void>
  /** Ends the runtime only. */
  killRuntime(): void
  /** Ends it in order and removes its folder. */
  stop(): Promise<void>
}

/** Prepares a service in a new folder; `start()` starts it. */
export async function prepareService({ rules, vars = {}, hasBarePort = false }: ServicePlan = {}): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-soak-'))
  const ports = {
    http: await freePort(),
    grpc: await freePort(),
    debug: await freePort(),
    node: await freePort(),
    admin: await freePort(),
    bare: hasBarePort ? await freePort() : 0,
  }
  const args = [...portArguments(ports), ...configurationArguments(folder, rules), '--persist', join(folder, 'state')]
  for (const [name, value] of Object.entries(vars)) args.push('--var', `${name}=${value}`)
  const url = `http://127.0.0.1:${ports.http}`
  let child: ChildProcess | null = null
  let printed = ''
  const ended = async () => {
    const hasEnded = () => child === null || child.exitCode !== null || child.signalCode !== null
    await eventually('the end of the service', hasEnded, () => printed)
    child = null
  }
  const runtime = () => (child?.pid === undefined ? null : findRuntime(child.pid))
  return {
    url,
    ports,
    folder: join(folder, 'state'),
    tokens: () => JSON.parse(readFileSync(join(folder, 'state/secrets.json'), 'utf8')),
    command: () => child?.pid ?? null,
    runtime,
    memoryMiB: () => residentMiB(runtime()),
    output: () => printed,
    async start() {
      printed = ''
      const command = [join(projectRoot, 'bin/run.mjs'), 'start', ...args]
      // A separate group: a kill reaches the command and the runtime that it has started.
      child = spawn(process.execPath, command, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
      const gather = (chunk: Buffer) => {
        printed = `${printed}${chunk.toString()}`.slice(-100_000)
      }
      child.stdout?.on('data', gather)
      child.stderr?.on('data', gather)
      await waitUntilAnswering(url, child, () => printed)
    },
    async kill() {
      const pid = runtime()
      if (child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await ended()
      const isGone = () => pid === null || !existsSync(`/proc/${pid}`) || isZombie(pid)
      await eventually(`the end of the runtime ${pid}`, isGone, () => printed)
    },
    killRuntime() {
      const pid = runtime()
      if (pid !== null) process.kill(pid, 'SIGKILL')
    },
    async stop() {
      child?.kill('SIGTERM')
      await ended()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function portArguments(ports: Ports): string[] {
  const named = { port: ports.http, 'grpc-port': ports.grpc, 'debug-port': ports.debug }
  const all = { ...named, 'node-port': ports.node, 'admin-port': ports.admin, 'bare-port': ports.bare }
  return Object.entries(all).flatMap(([name, port]) => [`--${name}`, `${port}`])
}

function configurationArguments(folder: string, rules: ServicePlan['rules']): string[] {
  if (rules === undefined) return []
  mkdirSync(join(folder, 'config'))
  for (const [name, text] of Object.entries(rules)) writeFileSync(join(folder, 'config', name), text)
  return ['--config', join(folder, 'config')]
}

async function waitUntilAnswering(url: string, child: ChildProcess, printed: () => string): Promise<void> {
  const isUp = async () => {
    if (child.exitCode !== null) throw new Error(`Cannot start: exit code ${child.exitCode}\n${printed()}`)
    // The greeting is the last word of a start: by then the rules are loaded and every port listens.
    return printed().includes('Sluice runs on') && (await isAnswering(url))
  }
  await eventually(`an answer of ${url}`, isUp, printed)
}

async function isAnswering(url: string): Promise<boolean> {
  return fetch(`${url}/healthcheck`).then(
    async (response) => {
      await response.arrayBuffer()
      return true
    },
    () => false,
  )
}

/** The workerd somewhere below a process. */
function findRuntime(pid: number): number | null {
  const parents = new Map<number, { readonly parent: number; readonly name: string }>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      const end = stat.lastIndexOf(')')
      const [state = '', parent = ''] = stat.slice(end + 2).split(' ')
      if (state === 'Z') continue
      parents.set(Number(entry), { parent: Number(parent), name: stat.slice(stat.indexOf('(') + 1, end) })
    } catch {
      // It has ended since it was listed.
    }
  }
  const isBelow = (child: number): boolean => {
    const parent = parents.get(child)?.parent
    return parent === pid || (parent !== undefined && parent > 1 && isBelow(parent))
  }
  return [...parents].find(([child, { name }]) => name === 'workerd' && isBelow(child))?.[0] ?? null
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return true
  }
}

/** Memory of a process in MiB; NaN where it cannot be read. */
export function residentMiB(pid: number | null): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024)
  } catch {
    return Number.NaN
  }
}
