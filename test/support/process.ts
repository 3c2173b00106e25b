/** Starts other programs for tests: finds them, gives them ports, waits until they listen, ends them. */

import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { accessSync, constants, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually, patienceMs, within } from './wait.ts'

/** The path of a program, or null when this machine has none of that name. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Finds a port that nothing listens on, below those that systems give to outgoing connections: a server that is ended
 * and started again on its port finds it free. It is given to one caller only, in all tests that run on this machine.
 *
 * @param distance - how far above it another port must be free as well.
 */
export async function freePort(distance = 0): Promise<number> {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const port = randomInt(lowestPort, 32_768 - distance)
    const ports = distance === 0 ? [port] : [port, port + distance]
    if (ports.every(claim) && (await Promise.all(ports.map(isFree))).every(Boolean)) return port
  }
  throw new Error('Cannot find a free port: a thousand were taken')
}

/** `fetch` and browsers refuse to ask 10080 ("bad port"), and no port above it. */
const lowestPort = 10_081

/** Has an empty file for each port that was given: two programs could choose the same one before either listens. */
const claims = join(tmpdir(), `sluice-ports-${process.getuid?.() ?? ''}`)
/** A claim older than this (milliseconds) is over: no test lasts so long. */
const claimLastsMs = 1_800_000

function claim(port: number): boolean {
  const path = join(claims, `${port}`)
  try {
    mkdirSync(claims, { recursive: true })
    writeFileSync(path, '', { flag: 'wx' })
  } catch {
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    if (Date.now() - madeAt < claimLastsMs) return false
    writeFileSync(path, '')
  }
  return true
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ host: '127.0.0.1', port }, () => probe.close(() => resolve(true)))
  })
}

/** A program that runs. */
export interface RunningProgram {
  readonly child: ChildProcess
  /** Output so far. */
  output(): string
  /** Waits until it has ended by itself; gives its exit code, null where a signal ended it. */
  ended(): Promise<number | null>
  /** Ends it and waits until it has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/** Starts a program and gathers what it prints. */
export function startProgram(
  path: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): RunningProgram {
  const child = spawn(path, [...args], { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const printed: string[] = []
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const output = () => printed.join('')
  const ended = () => within(`the end of ${path}`, closed, output)
  return {
    child,
    output,
    ended,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await ended()
    },
  }
}

/** Waits until something listens on a port; fails with what the program printed. */
export async function waitForPort(port: number, program: RunningProgram, timeoutMs = patienceMs): Promise<void> {
  await waitFor(`port ${port}`, () => canConnect(port), program, timeoutMs)
}

/** Waits until a condition holds; fails with what the program printed. */
export async function waitFor(
  what: string,
  condition: () => Promise<boolean>,
  program: RunningProgram,
  timeoutMs = patienceMs,
): Promise<void> {
  const holds = async () => {
    if (await condition()) return true
    if (program.child.exitCode === null) return false
    throw new Error(`Waiting for ${what} failed, the program has ended:\n${program.output()}`)
  }
  await eventually(what, holds, program.output, timeoutMs)
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
