/** The runtime without Node (`sluice workerd`), beside `sluice start`: until it answers, memory, decisions. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { workerdPath } from '#bin/runtime/process.ts'
import { freePort, type RunningProgram, startProgram, waitFor } from '#test/support/process.ts'
import { generator, press } from './load.ts'
import { median, printTable } from './report.ts'
import { benchRules, processorSeconds, questions } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-workerd-'))

// The command as it is installed: in a clone it would bundle the Worker before it starts.
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: projectRoot })
const packed = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
execFileSync('tar', ['-xzf', packed], { cwd: folder })
symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
const sluice = join(folder, 'package/bin/sluice.mjs')

const port = await freePort()
const url = `http://127.0.0.1:${port}`

/** Settings of both. */
const settings = { RATELIMIT_RULES: benchRules, COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1', LOG_LEVEL: 'error' }
execFileSync(process.execPath, [sluice, 'workerd', join(folder, 'alone'), '--address', `127.0.0.1:${port}`])

/** The two ways, each with all surfaces and nothing that the other has not: no gRPC, no separate port for the node. */
const ways: Readonly<Record<string, () => RunningProgram>> = {
  'sluice start': () => {
    const none = ['--grpc-port', '0', '--debug-port', '0', '--node-port', '0']
    const args = [sluice, 'start', '--port', `${port}`, ...none, '--persist', join(folder, 'started')]
    return startProgram(process.execPath, args, settings)
  },
  'sluice workerd': () =>
    startProgram(workerdPath(), ['serve', 'sluice.capnp', '--experimental'], settings, join(folder, 'alone')),
}

/** Result of one start. */
interface Start {
  readonly readyMs: number
  readonly bytes: number
  readonly perSecond: number
  readonly micros: number
}

async function measure(start: () => RunningProgram): Promise<Start> {
  const startedMs = performance.now()
  const program = start()
  try {
    const isReady = () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await waitFor('the service', isReady, program)
    const readyMs = performance.now() - startedMs
    const processes = [program.child.pid ?? 0, ...descendantsOf(program.child.pid ?? 0)]
    const bytes = sum(processes.map(residentBytes))
    const target = { url: `${url}/json`, bodies: questions('second', 1000) }
    await press(target, { ...pressure, seconds: 1 })
    const before = sum(processes.map(processorSeconds))
    const { answers, perSecond } = await press(target, pressure)
    const micros = ((sum(processes.map(processorSeconds)) - before) / answers) * 1e6
    return { readyMs, bytes, perSecond, micros }
  } finally {
    await program.stop()
  }
}

/** The processes that a process has started, and those that they have. */
function descendantsOf(pid: number): readonly number[] {
  const own = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && fieldOf(Number(name), 'PPid') === String(pid))
    .map(Number)
  return [...own, ...own.flatMap(descendantsOf)]
}

/** A field of a process's status; undefined where it has ended. */
function fieldOf(pid: number, name: string): string | undefined {
  try {
    return new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

function residentBytes(pid: number): number {
  return Number(fieldOf(pid, 'VmRSS') ?? 0) * 1024
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const starts = new Map<string, Start[]>(Object.keys(ways).map((name) => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const [name, start] of Object.entries(ways)) starts.get(name)?.push(await measure(start))
}
const middleOf = (name: string, field: keyof Start) => median((starts.get(name) ?? []).map((start) => start[field]))

console.log(
  `${generator}, ${pressure.connections} connections, ${rounds} interleaved starts of ${pressure.seconds} s each; medians. Every process of each way counts.\n`,
)
printTable(
  ['way', 'until /readyz is 200', 'resident memory', 'decisions a second', 'processor time of one'],
  Object.keys(ways).map((name) => [
    name,
    `${(middleOf(name, 'readyMs') / 1000).toFixed(1)} s`,
    `${(middleOf(name, 'bytes') / 2 ** 20).toFixed(0)} MiB`,
    middleOf(name, 'perSecond').toFixed(0),
    `${middleOf(name, 'micros').toFixed(0)} µs`,
  ]),
)
rmSync(folder, { recursive: true, force: true })
process.exit(0)
