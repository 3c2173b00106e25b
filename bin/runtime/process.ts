/** A process of workerd: started with a plan, watched, and ended when this process is killed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { extraAuthorities } from './authorities.ts'
import { configurationText, type RuntimePlan } from './configuration.ts'
import { pagesScript } from './pages.ts'

/** Options of a process. */
export interface RuntimeOptions {
  /** A port of 127.0.0.1 for the inspector; 0 for none. */
  readonly inspectorPort?: number
  /** workerd's program; that of the package when absent. */
  readonly program?: string
  /** Takes each line that the Workers print; they go to this process's own output when absent. */
  readonly onLine?: (line: string) => void
}

/** Finds workerd's program; the package's own command would start it through Node, which a signal would end. */
export function workerdPath(): string {
  try {
    // The package's main module exports the path as its default.
    return (createRequire(import.meta.url)('workerd') as { default: string }).default
  } catch {
    throw new Error(
      `Cannot start the runtime: the package workerd is not installed for ${process.platform} ${process.arch}, expected an installation without --omit=optional on a machine that workerd has a build for`,
    )
  }
}

/** Starts workerd and waits until all sockets listen; its configuration, which has secrets, is removed once read. */
export async function startRuntimeProcess(plan: RuntimePlan, options: RuntimeOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-config-'))
  try {
    mkdirSync(plan.state, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'pages.js'), pagesScript, { mode: 0o600 })
    writeFileSync(join(folder, 'sluice.capnp'), configurationText({ authorities: extraAuthorities(), ...plan }), {
      mode: 0o600,
    })
    return await listen(spawnRuntime(folder, options), plan, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function spawnRuntime(folder: string, { inspectorPort = 0, program = workerdPath() }: RuntimeOptions): ChildProcess {
  const inspector = inspectorPort === 0 ? [] : [`--inspector-addr=127.0.0.1:${inspectorPort}`]
  const file = join(folder, 'sluice.capnp')
  // Files that the configuration names absolutely are below the import path.
  const args = ['serve', file, '--experimental', '--import-path=/', '--control-fd=3', ...inspector]
  // A separate session, so that Ctrl-C reaches only this process, which finishes the requests first.
  return spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true })
}

/** An event on the control channel, as workerd documents `--control-fd`. */
interface ListenEvent {
  readonly event: string
  readonly socket?: string
  readonly port?: number
}

async function listen(child: ChildProcess, plan: RuntimePlan, options: RuntimeOptions) {
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const printed = printLines(child, options.onLine)
  const { pid } = child
  if (pid !== undefined) endWithThisProcess(pid, ended)
  const ports = await Promise.race([listeningPorts(child, plan.sockets.length), ended])
  if (typeof ports === 'string') {
    throw new Error(`Cannot start workerd: it ended with ${ports}\n${printed.join('\n')}`)
  }
  return {
    pid: pid ?? 0,
    /** Settles when it has ended, with the signal or the exit code in words. */
    ended,
    /** The port of a socket by its name, as the system chose it; 0 for a UNIX socket. */
    port: (socket: string): number => ports.get(socket) ?? 0,
    /** Ends it at once: objects write before they answer, so nothing that was answered is lost. */
    async stop(): Promise<void> {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** A process of workerd that listens. */
export type RuntimeProcess = Awaited<ReturnType<typeof listen>>

function listeningPorts(child: ChildProcess, count: number): Promise<ReadonlyMap<string, number>> {
  const ports = new Map<string, number>()
  // The fourth descriptor is a pipe that this process reads.
  const lines = createInterface({ input: child.stdio[3] as Readable })
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      const { event, socket, port } = JSON.parse(line) as ListenEvent
      if (event === 'listen' && socket !== undefined) ports.set(socket, port ?? 0)
      if (ports.size === count) resolve(ports)
    })
  })
}

/** Hands on what the process prints, and remembers the last lines for an error. */
function printLines({ stdout, stderr }: ChildProcess, onLine?: (line: string) => void): readonly string[] {
  const last: string[] = []
  for (const [input, output] of [
    [stdout, process.stdout],
    [stderr, process.stderr],
  ] as const) {
    if (input === null) continue
    createInterface({ input }).on('line', (line) => {
      if (last.push(line) > 20) last.shift()
      if (onLine === undefined) output.write(`${line}\n`)
      else onLine(line)
    })
  }
  return last
}

/** Ends a process when this one ends without a farewell: a shell, apart from Ctrl-C, waits on a pipe for it. */
function endWithThisProcess(pid: number, ended: Promise<string>): void {
  if (process.platform === 'win32') return
  const script = 'read -r _ || kill -9 "$0"'
  const watchdog = spawn('/bin/sh', ['-c', script, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // A machine without a shell has no watchdog; the record in the state folder remains.
  watchdog.on('error', () => undefined)
  watchdog.stdin.on('error', () => undefined)
  watchdog.unref()
  // Called off in time: a process id can be given to another process.
  void ended.then(() => watchdog.stdin.end('\n'))
}
