/**
 * Native gRPC and `/json` through fronts that decide, beside the reference service with its Redis: calls a second of
 * processor time, of all processes of each side, with a hot key and with keys by Zipf 1.1.
 */

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#base/random.ts'
import { encodeFrame, encodeRequest, readRequest, shouldRateLimitPath } from '#proto-json/index.ts'
import { freePort } from '#test/support/process.ts'
import { redisServer, startRedis } from '#test/support/redis.ts'
import { referenceProgram, startReference } from '#test/support/reference-service.ts'
import { greeting, startSluice } from '#test/support/start.ts'
import { press } from './load.ts'
import { interleave, median, middle, printTable, quantile, ratioText, type Sample } from './report.ts'
import { drawSkewed } from './scale-out/keys.ts'
import { benchRules, processorSeconds, question } from './servers.ts'

if (redisServer === null || referenceProgram === null) {
  console.log('Not measured: there is no redis-server, or RATELIMIT_REFERENCE names no reference service.')
  process.exit(0)
}
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
/** Milliseconds of load on each side before it is measured. */
const warmMs = Number(process.env.BENCH_WARM_SECONDS ?? 20) * 1_000
/** Calls under way at a time, over this many connections. */
const [connections, perConnection] = [4, 16]

const frameOf = (key: string, value: string): Buffer =>
  Buffer.from(encodeFrame(0, encodeRequest(readRequest(question(key, [value])))))

/** Frames of 20,000 calls. */
const drawRank = drawSkewed(createRandom(1, 'skew'), 10_000, 1.1)
const loads: Readonly<Record<string, readonly Buffer[]>> = {
  'hot key': [frameOf('day', 'hot')],
  'Zipf 1.1 over 10,000 keys': Array.from({ length: 20_000 }, () => frameOf('day', `v${drawRank()}`)),
}

/** One side: where it listens for gRPC and for `/json`, and the processes that answer. */
interface Side {
  readonly port: number
  readonly url: string
  readonly pids: () => readonly number[]
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-native-'))
mkdirSync(join(folder, 'rules'))
writeFileSync(join(folder, 'rules/bench.yaml'), benchRules)
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]

async function startProduct(name: string, vars: Readonly<Record<string, string>>): Promise<Side> {
  const [port, grpcPort] = [await freePort(), await freePort()]
  const ports = ['--port', `${port}`, '--grpc-port', `${grpcPort}`, '--debug-port', '0', '--node-port', '0']
  const program = startSluice([...ports, '--persist', join(folder, name), '--config', join(folder, 'rules')], vars)
  cleanups.push(() => program.stop())
  await greeting(program)
  const { pid = 0 } = program.child
  return { port: grpcPort, url: `http://127.0.0.1:${port}`, pids: () => [pid, ...descendants(pid)] }
}

/** The processes below one; Linux only. */
function descendants(pid: number): readonly number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
  const children = stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
  return children.flatMap((child) => [child, ...descendants(child)])
}

async function startPeer(): Promise<Side> {
  const redis = await startRedis([])
  cleanups.push(() => redis.program.stop())
  const reference = await startReference(benchRules, {
    BACKEND_TYPE: 'redis',
    REDIS_SOCKET_TYPE: 'tcp',
    REDIS_URL: `127.0.0.1:${redis.port}`,
  })
  cleanups.push(reference.stop)
  const pids = [reference.program.child.pid ?? 0, redis.program.child.pid ?? 0]
  return { port: reference.grpcPort, url: reference.url, pids: () => pids }
}

const headers = { ':method': 'POST', ':path': shouldRateLimitPath, 'content-type': 'application/grpc', te: 'trailers' }

/** One call; it fails where its status is not OK. */
function call(session: ClientHttp2Session, frame: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers)
    let status: unknown
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status']
    })
    stream.on('error', reject)
    stream.on('close', () => (status === '0' ? resolve() : reject(new Error(`grpc-status ${String(status)}`))))
    stream.resume()
    stream.end(frame)
  })
}

/** Presses a side, and reads the processor time of its processes for one call. */
async function sample(side: Side, frames: readonly Buffer[], lastsMs = seconds * 1_000): Promise<Sample> {
  const sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${side.port}`))
  const used = () => usedBy(side)
  const [before, startedMs] = [used(), performance.now()]
  let calls = 0
  const callOn = async (session: ClientHttp2Session, from: number) => {
    for (let at = from; performance.now() - startedMs < lastsMs; at++) {
      await call(session, frames[at % frames.length] ?? Buffer.alloc(0))
      calls++
    }
  }
  const lanes = sessions.flatMap((session, place) =>
    Array.from({ length: perConnection }, (_, lane) => callOn(session, place * 997 + lane * 61)),
  )
  await Promise.all(lanes)
  const took = (performance.now() - startedMs) / 1_000
  const micros = ((used() - before) / calls) * 1e6
  for (const session of sessions) session.close()
  return { perSecond: calls / took, micros }
}

function usedBy({ pids }: Side): number {
  return pids().reduce((sum, pid) => sum + processorSeconds(pid), 0)
}

/** Presses a side over HTTP/1.1, on as many connections as there are calls of gRPC under way. */
async function sampleJson(side: Side): Promise<Sample> {
  const target = { url: `${side.url}/json`, bodies: [question('day', ['hot'])] }
  const before = usedBy(side)
  const { answers, perSecond } = await press(target, { connections: connections * perConnection, seconds })
  return { perSecond, micros: ((usedBy(side) - before) / answers) * 1e6 }
}

/** Milliseconds of single calls, one after the other. */
async function latencies({ port }: Side, frame: Buffer): Promise<readonly number[]> {
  const session = connect(`http://127.0.0.1:${port}`)
  const times: number[] = []
  for (let at = 0; at < 2_000; at++) {
    const startedMs = performance.now()
    await call(session, frame)
    times.push(performance.now() - startedMs)
  }
  session.close()
  return times
}

const sides: Readonly<Record<string, Side>> = {
  'with leases': await startProduct('leases', { LEASES: 'on' }),
  'without leases': await startProduct('plain', {}),
  'reference with Redis': await startPeer(),
}
for (const side of Object.values(sides)) {
  // The first hit of a key writes a row, and a lease grows with the rate that it saw: a day has each key once.
  for (const frames of Object.values(loads)) await sample(side, frames, warmMs)
  await sampleJson(side)
}
await sleep(500)
const jsonLoad = '/json, hot key'
const measurements = Object.entries(sides).flatMap(([side, place]) => [
  ...Object.entries(loads).map(([load, frames]) => [`${side}, ${load}`, () => sample(place, frames)] as const),
  [`${side}, ${jsonLoad}`, () => sampleJson(place)] as const,
])
const samples = await interleave(rounds, new Map(measurements))
const aims: Readonly<Record<string, string>> = {
  'with leases': '1.20',
  [`with leases, ${jsonLoad}`]: '0.80',
  'without leases': '0.50',
  [`without leases, ${jsonLoad}`]: '',
}
printTable(
  ['calls', 'calls a second', 'microseconds of processor time', 'beside the reference, by processor time', 'aim'],
  measurements.map(([name]) => {
    const [side = '', load = ''] = name.split(/, (.*)/s)
    const base = `reference with Redis, ${load}`
    return [
      name,
      middle(samples, name, 'perSecond').toFixed(0),
      middle(samples, name, 'micros').toFixed(0),
      name === base ? '' : ratioText(samples, name, base, 'micros'),
      aims[name] ?? aims[side] ?? '',
    ]
  }),
)
// In turns, with medians of rounds: the side that is measured first pays for the garbage of the load before.
const single = Object.entries(sides).map(([name, side]) => ({ name, side, rounds: [] as (readonly number[])[] }))
for (let round = 0; round < rounds; round++) {
  for (const { side, rounds: done } of single) done.push(await latencies(side, frameOf('day', 'hot')))
}
printTable(
  ['one call at a time', 'p50', 'p99'],
  single.map(({ name, rounds: done }) => [
    name,
    ...[0.5, 0.99].map((part) => `${median(done.map((times) => quantile(times, part))).toFixed(2)} ms`),
  ]),
)
for (const cleanup of cleanups.reverse()) await cleanup()
process.exit(0)
