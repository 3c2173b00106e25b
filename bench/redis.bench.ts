/** Decisions that count in Redis, beside the same pipeline with no service around it, and beside ioredis in Node. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startProgram, waitForPort } from '../test/support/process.ts'
import { redisServer, startRedis } from '../test/support/redis.ts'
import { press, type Target } from './load.ts'
import { interleave, middle, printTable, ratioText } from './report.ts'
import { benchRules, type Peer, questions, startPeer, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }

if (redisServer === null) {
  console.log('Not measured: there is no redis-server on this machine.')
  process.exit(0)
}
const redis = await startRedis()
const address = `127.0.0.1:${redis.port}`
const vars = {
  BACKEND_TYPE: 'redis',
  REDIS_SOCKET_TYPE: 'tcp',
  REDIS_URL: address,
  REDIS_POOL_SIZE: '1',
}
const servers = await startServers({ redis: { vars, rules: benchRules } }, address)
const peer = await startPeer('ioredis', redis.port)

const bodies = questions('day', 1000)
const reference = await startReference(process.env.RATELIMIT_REFERENCE ?? '')
const targets: Readonly<Record<string, Target>> = {
  'bare object, same pipeline': { url: `${servers.url('bare')}/redis`, bodies },
  '/json, Redis': { url: `${servers.url('redis')}/json`, bodies },
  'Node and ioredis': { url: `http://127.0.0.1:${peer.port}/`, bodies },
  ...(reference !== null && {
    'reference service, /json': { url: `http://127.0.0.1:${reference.port}/json`, bodies },
  }),
}
for (const target of Object.values(targets)) await press(target, { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map(
    Object.entries(targets).map(([name, target]) => [
      name,
      async () => {
        const before = servers.processorSeconds()
        const { answers, perSecond } = await press(target, pressure)
        return { perSecond, micros: ((servers.processorSeconds() - before) / answers) * 1e6 }
      },
    ]),
  ),
)

const [base = ''] = Object.keys(targets)
printTable(
  ['1,000 keys', 'a second', 'rate beside the bare object', 'aim', 'processor time'],
  Object.keys(targets).map((name) => [
    name,
    middle(samples, name, 'perSecond').toFixed(0),
    name === base ? '' : ratioText(samples, name, base, 'perSecond'),
    name === '/json, Redis' ? '0.80' : '',
    name === '/json, Redis' ? ratioText(samples, name, base, 'micros') : '',
  ]),
)
await reference?.program.stop()
await peer.program.stop()
await servers.stop()
await redis.stop()
process.exit(0)

/** Starts the reference service on the same Redis with the same rules; null without a path to its program. */
async function startReference(program: string): Promise<Peer | null> {
  if (program === '') return null
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  mkdirSync(join(folder, 'ratelimit/config'), { recursive: true })
  writeFileSync(join(folder, 'ratelimit/config/bench.yaml'), benchRules)
  const [port, grpcPort, debugPort] = [await freePort(), await freePort(), await freePort()]
  const running = startProgram(program, [], {
    PORT: String(port),
    GRPC_PORT: String(grpcPort),
    DEBUG_PORT: String(debugPort),
    RUNTIME_ROOT: folder,
    RUNTIME_SUBDIRECTORY: 'ratelimit',
    RUNTIME_WATCH_ROOT: 'false',
    REDIS_SOCKET_TYPE: 'tcp',
    REDIS_URL: address,
    USE_STATSD: 'false',
    LOG_LEVEL: 'error',
  })
  await waitForPort(port, running)
  return { port, program: running }
}
