/** A separate counter for every request, through `npm start`: the runtime must live, and answer when all windows end. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type RunningProgram } from '../support/process.ts'
import { greeting, onlyPort, startSluice } from '../support/start.ts'

/** The decisions to ask for, and the service. */
export interface UniqueKeysPlan {
  /** Counters to make, each by one hit. */
  readonly keys: number
  /** Descriptors of one request. */
  readonly width: number
  readonly unit: 'second' | 'minute' | 'hour'
  /** Absent for what `npm start` chooses. */
  readonly placement?: 'per-key' | 'shard'
  /** Most seconds to ask for; what was not asked by then is left out. */
  readonly seconds: number
  /** Seconds to watch after the last request, in which the windows end. */
  readonly settleSeconds: number
}

/** The service at one moment. */
export interface Reading {
  readonly keys: number
  /** Seconds since the first request. */
  readonly at: number
  /** Resident memory of the runtime; NaN where there is no `/proc`. */
  readonly mebibytes: number
  /** Files of the counters, and their size on disk. */
  readonly files: number
  readonly megabytes: number
}

/** The result of a run. */
export interface UniqueKeysReport {
  readonly readings: readonly Reading[]
  /** Answers by HTTP status; 0 where the connection failed. */
  readonly answers: Readonly<Record<number, number>>
  /** The first answers that were not 200, in words. */
  readonly refusals: readonly string[]
  readonly askedSeconds: number
  /** Answers to the questions asked while the windows ended, and the slowest of them in milliseconds. */
  readonly settling: { readonly asked: number; readonly answered: number; readonly slowestMs: number }
  readonly isAlive: boolean
  readonly output: string
}

/** Connections that ask at once. */
const connections = 16
const rules = (unit: string) =>
  `domain: keys\ndescriptors:\n  - key: user\n    rate_limit: {unit: ${unit}, requests_per_unit: 5}\n`

/** Starts a service with fresh state, asks, watches, and stops it; what it found is printed after every tenth. */
export async function askUniqueKeys(
  plan: UniqueKeysPlan,
  tell: (reading: Reading) => void = () => {},
): Promise<UniqueKeysReport> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-unique-keys-'))
  const service = await startService(folder, plan)
  try {
    return await askAndWatch(plan, service, tell)
  } finally {
    await service.program.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Service {
  readonly program: RunningProgram
  readonly port: number
  readonly folder: string
}

async function startService(folder: string, { unit, placement }: UniqueKeysPlan): Promise<Service> {
  mkdirSync(join(folder, 'config'))
  writeFileSync(join(folder, 'config/keys.yaml'), rules(unit))
  const port = await freePort()
  const program = startSluice([
    ...onlyPort(port),
    ...['--persist', join(folder, 'state'), '--config', join(folder, 'config')],
    ...(placement === undefined ? [] : ['--var', `COUNTER_PLACEMENT=${placement}`]),
  ])
  await greeting(program)
  return { program, port, folder: join(folder, 'state/state/index-CounterObject') }
}

async function askAndWatch(
  plan: UniqueKeysPlan,
  { program, port, folder }: Service,
  tell: (reading: Reading) => void,
): Promise<UniqueKeysReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const pid = runtimeOf(program.child.pid ?? 0)
  const began = Date.now()
  const elapsed = () => (Date.now() - began) / 1000
  const answers: Record<number, number> = {}
  const refusals: string[] = []
  const readings: Reading[] = []
  let next = 0
  const read = () => {
    const reading = { keys: next, at: elapsed(), mebibytes: residentMebibytes(pid), ...folderSize(folder) }
    readings.push(reading)
    tell(reading)
  }
  const isAlive = () => Number.isNaN(residentMebibytes(pid)) === (process.platform !== 'linux')
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < plan.keys && elapsed() < plan.seconds && isAlive()) {
        const first = next
        next += plan.width
        const { status, text } = await ask(agent, port, question(first, plan.width))
        answers[status] = (answers[status] ?? 0) + 1
        if (status !== 200 && refusals.length < 10) refusals.push(`after ${elapsed()} s: ${status} ${text}`)
        if (Math.floor((10 * first) / plan.keys) < Math.floor((10 * (first + plan.width)) / plan.keys)) read()
      }
    }),
  )
  const askedSeconds = elapsed()
  const settling = { asked: 0, answered: 0, slowestMs: 0 }
  for (let last = 0; elapsed() < askedSeconds + plan.settleSeconds && isAlive(); ) {
    const startedAt = performance.now()
    settling.asked += 1
    const { status } = await ask(agent, port, question(plan.keys + settling.asked, 1))
    if (status === 200) settling.answered += 1
    settling.slowestMs = Math.max(settling.slowestMs, performance.now() - startedAt)
    if (elapsed() - last >= 15) {
      last = elapsed()
      read()
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  agent.destroy()
  return { readings, answers, refusals, askedSeconds, settling, isAlive: isAlive(), output: program.output() }
}

function question(first: number, width: number): string {
  const descriptors = Array.from({ length: width }, (_, at) => ({
    entries: [{ key: 'user', value: `user-${first + at}-of-the-soak` }],
  }))
  return JSON.stringify({ domain: 'keys', descriptors })
}

/** An answer; its status is 0 when there was none. */
interface Answer {
  readonly status: number
  readonly text: string
}

/** Asks, and asks once more when an idle connection had just been cut. */
async function ask(agent: Agent, port: number, body: string): Promise<Answer> {
  const answer = await post(agent, port, body)
  return answer.status === 0 ? post(agent, port, body) : answer
}

function post(agent: Agent, port: number, body: string): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: 0, text: error.message })
    const options = { agent, host: '127.0.0.1', port, path: '/json', method: 'POST', timeout: 60_000 }
    const outgoing = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }))
      response.once('error', failed)
    })
    outgoing.once('timeout', () => outgoing.destroy())
    outgoing.once('error', failed)
    outgoing.end(body)
  })
}

/** The runtime below a command, by the names of processes; 0 when there is none, or no `/proc`. */
function runtimeOf(parent: number): number {
  if (process.platform !== 'linux') return 0
  for (const name of readdirSync('/proc')) {
    const status = /^\d+$/.test(name) ? statusOf(Number(name)) : ''
    if (Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) !== parent) continue
    if (/^Name:\s+workerd$/m.test(status)) return Number(name)
    const below = runtimeOf(Number(name))
    if (below > 0) return below
  }
  return 0
}

function residentMebibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1] ?? Number.NaN) / 1024
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}

function folderSize(folder: string): { readonly files: number; readonly megabytes: number } {
  const sizes = readdirSync(folder).map((name) => {
    try {
      return statSync(join(folder, name)).size
    } catch {
      // Removed since it was listed.
      return 0
    }
  })
  return { files: sizes.length, megabytes: sizes.reduce((sum, size) => sum + size, 0) / 1e6 }
}
