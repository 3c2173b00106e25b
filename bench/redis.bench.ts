/**
 * Decisions that count in Redis, beside the same pipeline with no service around it, and beside ioredis in Node; over
 * TCP, and through the relay on a UNIX socket.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStoreRelay } from '#bin/store-relay/relay.ts'
import { redisServer, startRedis } from '#test/support/redis.ts'
import { referenceProgram, startReference } from '#test/support/reference-service.ts'
import { press, type Target } from './load.ts'
import { interleave, middle, printTable, ratioText } from './report.ts'
import { benchRules, questions, startPeer, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }

if (redisServer === null) {
  console.log('Not measured: there is no redis-server on this machine.')
  process.exit(0)
}
const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-redis-'))
const socket = join(folder, 'redis.sock')
const redis = await startRedis(['--unixsocket', socket])
const relay = await startStoreRelay(null)
const address = `127.0.0.1:${redis.port}`
const vars = { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: address, REDIS_POOL_SIZE: '1' }
const relayed = { ...vars, REDIS_SOCKET_TYPE: 'unix', REDIS_URL: socket }
const servers = await startServers(
  { redis: { vars, rules: benchRules }, relayed: { vars: relayed, rules: benchRules, storeRelay: relay.socketPath } },
  address,
)
const peer = await startPeer('ioredis', redis.port)

const bodies = questions('day', 1000)
const reference =
  referenceProgram === null ? null : await startReference(benchRules, { REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: address })
const targets: Readonly<Record<string, Target>> = {
  'bare object, same pipeline': { url: `${servers.url('bare')}/redis`, bodies },
  '/json, Redis': { url: `${servers.url('redis')}/json`, bodies },
  '/json, Redis through the relay': { url: `${servers.url('relayed')}/json`, bodies },
  'Node and ioredis': { url: `http://127.0.0.1:${peer.port}/`, bodies },
  ...(reference !== null && { 'reference service, /json': { url: `${reference.url}/json`, bodies } }),
}
for (const target of Object.values(targets)) await press(target, { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map(Object.entries(targets).map(([name, target]) => [name, () => servers.sample(target, pressure)])),
)

const [base = ''] = Object.keys(targets)
printTable(
  ['1,000 keys', 'a second', 'rate beside the bare object', 'aim', 'processor time', 'rate beside TCP'],
  Object.keys(targets).map((name) => [
    name,
    middle(samples, name, 'perSecond').toFixed(0),
    name === base ? '' : ratioText(samples, name, base, 'perSecond'),
    name === '/json, Redis' ? '0.80' : '',
    name === '/json, Redis' ? ratioText(samples, name, base, 'micros') : '',
    name === '/json, Redis through the relay' ? ratioText(samples, name, '/json, Redis', 'perSecond') : '',
  ]),
)
await reference?.stop()
await peer.program.stop()
await servers.stop()
await relay.stop()
await redis.stop()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
