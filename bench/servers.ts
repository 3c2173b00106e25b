/** Starts the Workers under test in one workerd on sockets of their own, and programs beside them. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import type { WorkerPlan } from '#bin/runtime/configuration.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import { freePort, type RunningProgram, startProgram, waitForPort } from '#test/support/process.ts'
import { compatibilityDate } from '#test/support/workerd.ts'
import { type Pressure, press, type Target } from './load.ts'
import type { Sample } from './report.ts'

/** One rate limit service: its variables and its configuration file. */
export interface ServicePlan {
  readonly vars: Readonly<Record<string, string>>
  readonly rules: string
  /** The UNIX socket of a relay to stores. */
  readonly storeRelay?: string
}

/** Workers that run. */
export interface Servers {
  /** `http://127.0.0.1:PORT` of a service, or of `bare`. */
  url(name: string): string
  /** The process of the runtime. */
  readonly pid: number
  /** Memory that the runtime's process holds, in bytes; Linux only, NaN elsewhere. */
  residentBytes(): number
  /** Presses a target once; the processor time is that of the runtime's process, for one answer. Linux only, NaN elsewhere. */
  sample(target: Target, pressure: Pressure): Promise<Sample>
  stop(): Promise<void>
}

const adminToken = 'token-of-the-bench'
/** Headers for the operator plane of a service under test. */
export const adminHeaders = { authorization: `Bearer ${adminToken}` }

/** Starts services by name, and with them `bare`, the Worker of `bench/bare`. */
export async function startServers(plans: Readonly<Record<string, ServicePlan>>, redisUrl = ''): Promise<Servers> {
  const storage = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const workers = [bare(redisUrl), ...Object.entries(plans).map(([name, plan]) => planService(name, plan))]
  const relays = Object.entries(plans).flatMap(([name, { storeRelay }]) =>
    storeRelay === undefined ? [] : [{ name: `relay-${name}`, address: `unix:${storeRelay}` }],
  )
  const runtime = await startRuntimeProcess({
    workers,
    sockets: workers.map(({ name }) => ({ name, address: '127.0.0.1:0', service: name })),
    externals: relays,
    state: storage,
  })
  const url = (name: string) => `http://127.0.0.1:${runtime.port(name)}`
  for (const [name, { rules }] of Object.entries(plans)) await configure(url(name), rules)
  const { pid } = runtime
  return {
    url,
    pid,
    residentBytes: () => residentBytes(pid),
    async sample(target, pressure) {
      const before = processorSeconds(pid)
      const { answers, perSecond } = await press(target, pressure)
      return { perSecond, micros: ((processorSeconds(pid) - before) / answers) * 1e6 }
    },
    async stop() {
      await runtime.stop()
      rmSync(storage, { recursive: true, force: true })
    },
  }
}

function planService(name: string, { vars, storeRelay }: ServicePlan): WorkerPlan {
  return planWorker({
    worker: 'ratelimit',
    name,
    vars: { ADMIN_TOKEN: adminToken, ...vars },
    ...(storeRelay !== undefined && { services: { STORE_RELAY: `relay-${name}` } }),
  })
}

function bare(redisUrl: string): WorkerPlan {
  return {
    name: 'bare',
    modules: [{ name: 'bare.js', path: join(projectRoot, '.build/bench/bare.js') }],
    compatibilityDate,
    compatibilityFlags: ['enable_request_signal'],
    objects: ['WindowObject', 'PipelineObject', 'LedgerFloorObject'].map((className) => ({
      className,
      uniqueKey: `bare-${className}`,
    })),
    bindings: [
      { name: 'REDIS_URL', text: redisUrl },
      { name: 'WINDOW', className: 'WindowObject' },
      { name: 'PIPELINE', className: 'PipelineObject' },
      { name: 'LEDGER', className: 'LedgerFloorObject' },
    ],
  }
}

async function configure(url: string, rules: string): Promise<void> {
  const response = await fetch(`${url}/config/files`, {
    method: 'PUT',
    headers: adminHeaders,
    body: JSON.stringify({ files: { 'config.bench.yaml': rules } }),
  })
  if (!response.ok) throw new Error(`Cannot configure: ${await response.text()}`)
}

/** Bytes of memory that a process holds; NaN where the system is not Linux. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

/**
 * Processor seconds of a process so far; NaN where the system is not Linux.
 *
 * User and system time are the 14th and 15th fields, in hundredths of a second; the name before them ends in `)`.
 */
export function processorSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A program that listens. */
export interface Peer {
  readonly port: number
  readonly program: RunningProgram
}

/** Starts a bundled program of `bench/peers` in a separate Node; its arguments are its port and Redis's port. */
export async function startPeer(name: string, redisPort: number): Promise<Peer> {
  const port = await freePort()
  const script = join(projectRoot, '.build/bench', `${name}.mjs`)
  const program = startProgram(process.execPath, [script, String(port), String(redisPort)])
  await waitForPort(port, program)
  return { port, program }
}

const units = ['second', 'minute', 'day'] as const

/** A configuration in which the keys `second`, `minute` and `day` never run out and `none` always has. */
export const benchRules = `domain: d
descriptors:
${units.map((unit) => `  - {key: ${unit}, rate_limit: {unit: ${unit}, requests_per_unit: 4000000000}}`).join('\n')}
  - {key: none, rate_limit: {unit: day, requests_per_unit: 0}}
`

/** A question with one descriptor per value. */
export function question(key: string, values: readonly string[]): string {
  const descriptors = values.map((value) => ({ entries: [{ key, value }] }))
  return JSON.stringify({ domain: 'd', descriptors })
}

/** Questions about many counters in turn, `width` of them in each. */
export function questions(key: string, counters: number, width = 1): readonly string[] {
  return Array.from({ length: counters }, (_, at) =>
    question(
      key,
      Array.from({ length: width }, (_, place) => `v${(at * width + place) % Math.max(counters, width)}`),
    ),
  )
}
