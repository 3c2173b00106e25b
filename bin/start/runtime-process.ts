/** The runtime's process: when it ended and by what, and a watchdog that ends it when this process is killed. */

import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { basename } from 'node:path'

/** A process of the runtime that has started. */
export interface RuntimeProcess {
  readonly pid: number
  /** Settles when it has ended, with the signal or the exit code in words. */
  readonly ended: Promise<string>
}

/**
 * Calls back for every runtime that this process starts. Miniflare keeps its child to itself; Node announces every
 * child on a diagnostics channel.
 *
 * @returns stops it.
 */
export function watchRuntimeProcesses(onStart: (runtime: RuntimeProcess) => void): () => void {
  const listener = (message: unknown) => {
    // The channel's documented message.
    const { process: child } = message as { readonly process: ChildProcess }
    child.once('spawn', () => {
      if (!basename(child.spawnfile).startsWith('workerd') || child.pid === undefined) return
      onStart({ pid: child.pid, ended: endOf(child) })
    })
  }
  subscribe('child_process', listener)
  return () => unsubscribe('child_process', listener)
}

async function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/**
 * Ends the runtime when this process ends without a farewell, as by SIGKILL: a shell waits on a pipe that the system
 * closes with this process. It has a separate session, so that Ctrl-C does not end it before its work.
 */
export function guardRuntime({ pid, ended }: RuntimeProcess): void {
  if (process.platform === 'win32') return
  const script = 'read -r _ || kill -9 "$0"'
  const watchdog = spawn('/bin/sh', ['-c', script, String(pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell there is no watchdog; the record in the state folder remains.
  watchdog.on('error', () => undefined)
  watchdog.stdin.on('error', () => undefined)
  watchdog.unref()
  // Called off in time: a process id can be given to another process.
  void ended.then(() => watchdog.stdin.end('\n'))
}
