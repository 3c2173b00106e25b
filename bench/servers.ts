/** Starts the Workers under test in one workerd on sockets of their own, and programs beside them. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Miniflare, type WorkerOptions } from 'miniflare'
import { bundlePath } from '#bin/bundle-workers.ts'
import { projectRoot } from '#bin/project.ts'
import { workerOptions } from '#bin/worker-options.ts'
import { freePort, type RunningProgram, startProgram, waitForPort } from '#test/support/process.ts'
import { type Pressure, press, type Target } from './load.ts'
import type { Sample } from './report.ts'

/** One rate limit service: its variables and its configuration file. */
export interface ServicePlan {
  readonly vars: Readonly<Record<string, string>>
  readonly rules: string
  /** The UNIX socket of a relay to stores. */
  readonly storeRelay?: string
  /** Analytics Engine datasets by the name of their binding. */
  readonly datasets?: WorkerOptions['analyticsEngineDatasets']
}

/** Workers that run. */
export interface Servers {
  /** `http://127.0.0.1:PORT` of a service, or of `bare`. */
  url(name: string): string
  /** Memory that the runtime's process holds, in bytes; Linux only, NaN elsewhere. */
  residentBytes(): number
  /** Presses a target once; the processor time is that of the runtime's process, for one answer. Linux only, NaN elsewhere. */
  sample(target: Target, pressure: Pressure): Promise<Sample>
  stop(): Promise<void>
}

const adminToken = 'token-of-the-bench'
/** What the operator plane of a service under test asks for. */
export const adminHeaders = { authorization: `Bearer ${adminToken}` }
const address = { host: '127.0.0.1', port: 0 }

/** Starts services by name, and with them `bare`, the Worker of `bench/bare`. */
export async function startServers(
  plans: Readonly<Record<string, ServicePlan>>,
  redisUrl = '',
): Promise<Servers> {
  const storage = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const services = Object.entries(plans).map(([name, { vars, storeRelay, datasets }]) => {
    const script = bundlePath('ratelimit')
    const all = { ADMIN_TOKEN: adminToken, ...vars }
    return {
      ...workerOptions({
        worker: 'ratelimit',
        script,
        vars: all,
        address,
        ...(storeRelay !== undefined && { storeRelay }),
      }),
      ...(datasets && { analyticsEngineDatasets: datasets }),
      name,
    }
  })
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    cf: false,
    durableObjectsPersist: storage,
    workers: [bare(redisUrl), ...services],
  })
  const names = ['bare', ...Object.keys(plans)]
  const urls = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)))
  const origins = new Map(names.map((name, at) => [name, urls[at]?.origin ?? '']))
  const url = (name: string) => origins.get(name) ?? ''
  for (const [name, { rules }] of Object.entries(plans)) await configure(url(name), rules)
  const pid = runtimePid()
  return {
    url,
    residentBytes: () => residentBytes(pid),
    async sample(target, pressure) {
      const before = processorSeconds(pid)
      const { answers, perSecond } = await press(target, pressure)
      return { perSecond, micros: ((processorSeconds(pid) - before) / answers) * 1e6 }
    },
    async stop() {
      await miniflare.dispose()
      rmSync(storage, { recursive: true, force: true })
    },
  }
}

function bare(redisUrl: string): WorkerOptions {
  return {
    name: 'bare',
    modules: [{ type: 'ESModule', path: join(projectRoot, '.build/bench/bare.js') }],
    compatibilityDate: '2026-04-20',
    compatibilityFlags: ['nodejs_compat', 'enable_request_signal'],
    bindings: { REDIS_URL: redisUrl },
    durableObjects: {
      WINDOW: { className: 'WindowObject', useSQLite: true },
      PIPELINE: { className: 'PipelineObject', useSQLite: true },
    },
    unsafeDirectSockets: [address],
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

/** The youngest workerd that this process has started. */
export function runtimePid(): number | null {
  if (process.platform !== 'linux') return null
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isRuntime(name))
  return children.length === 0 ? null : Math.max(...children.map(Number))
}

function isRuntime(pid: string): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return /^Name:\s+workerd$/m.test(status) && new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status)
  } catch {
    // It has ended since it was listed.
    return false
  }
}

function residentBytes(pid: number | null): number {
  if (pid === null) return Number.NaN
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

/**
 * Processor seconds of a process so far; NaN without one.
 *
 * User and system time are the 14th and 15th fields, in hundredths of a second; the name before them ends in `)`.
 */
export function processorSeconds(pid: number | null): number {
  if (pid === null) return Number.NaN
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
