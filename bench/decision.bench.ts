/** A decision over `/json` beside what the platform costs at least, and beside a limiter in Node on Redis. */

import { redisServer, startRedis } from '#test/support/redis.ts'
import { generator, mostPerSecond, press, type Target, type Waits, waitConnections, waitsAtHalfLoad } from './load.ts'
import { interleave, median, printComparisons, printTable } from './report.ts'
import { benchRules, questions, startPeer, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const [manyKeys, manyObjects] = [1000, 100]

const shard = { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }
const servers = await startServers({
  perKey: { vars: {}, rules: benchRules },
  shard: { vars: shard, rules: benchRules },
  relaxed: { vars: { ...shard, COUNTER_DURABILITY: 'relaxed' }, rules: benchRules },
  strict: { vars: { COUNTER_DURABILITY: 'strict' }, rules: benchRules },
  cached: { vars: { LOCAL_CACHE_SIZE_IN_BYTES: '1000000' }, rules: benchRules },
})
const redis = redisServer === null ? null : await startRedis()
const peer = redis === null ? null : await startPeer('rate-limiter-flexible', redis.port)

const one = (unit: string) => questions(unit, 1)
const many = (unit: string) => questions(unit, manyKeys)
const some = (unit: string) => questions(unit, manyObjects)
const four = (unit: string) => questions(unit, 1, 4)
const bare = (path: string, bodies: readonly string[]): Target => ({ url: `${servers.url('bare')}${path}`, bodies })
const ours = (service: string, bodies: readonly string[]): Target => ({ url: `${servers.url(service)}/json`, bodies })

/** Every measurement: its target, what it is compared with, and the ratio it aims at. */
const plan: Readonly<Record<string, { target: Target; base?: string; aim?: string }>> = {
  'bare Worker': { target: bare('/worker', one('day')) },
  'bare object, 1 key': { target: bare('/object', one('day')), base: 'bare Worker' },
  'bare object, 1,000 keys': { target: bare('/object', many('day')), base: 'bare Worker' },
  '100 bare objects': { target: bare('/object-per-key', some('day')), base: 'bare Worker' },
  'memory, 1 key': { target: ours('perKey', one('second')), base: 'bare object, 1 key', aim: '0.90' },
  'memory, 1,000 keys, shard': { target: ours('shard', many('second')), base: 'bare object, 1,000 keys', aim: '0.90' },
  'memory, 100 keys, per key': { target: ours('perKey', some('second')), base: '100 bare objects', aim: '0.90' },
  'relaxed, 1,000 keys, shard': { target: ours('relaxed', many('day')), base: 'bare object, 1,000 keys' },
  'durable, 1 key': { target: ours('perKey', one('day')), base: 'bare object, 1 key', aim: '0.80' },
  'durable, 1,000 keys, shard': { target: ours('shard', many('day')), base: 'bare object, 1,000 keys', aim: '0.80' },
  'durable, 100 keys, per key': { target: ours('perKey', some('day')), base: '100 bare objects', aim: '0.80' },
  'strict, 100 keys, per key': { target: ours('strict', some('day')), base: '100 bare objects' },
  'memory, 1 descriptor, shard': { target: ours('shard', one('second')), base: 'bare object, 1 key' },
  'memory, 4 descriptors, shard': {
    target: ours('shard', four('second')),
    base: 'memory, 1 descriptor, shard',
    aim: '0.77',
  },
  'memory, 4 descriptors, per key': { target: ours('perKey', four('second')), base: 'memory, 1 key' },
  'durable, 1 descriptor, shard': { target: ours('shard', one('day')), base: 'bare object, 1 key' },
  'durable, 4 descriptors, shard': {
    target: ours('shard', four('day')),
    base: 'durable, 1 descriptor, shard',
    aim: '0.77',
  },
  'durable, 4 descriptors, per key': { target: ours('perKey', four('day')), base: 'durable, 1 key' },
  'over limit, from the cache': {
    target: { ...ours('cached', one('none')), status: 429 },
    base: 'bare Worker',
    aim: '0.80',
  },
  ...(peer !== null && {
    'peer, 1 key': { target: peerTarget(peer.port, one('day')), base: 'bare object, 1 key' },
    'peer, 1,000 keys': { target: peerTarget(peer.port, many('day')), base: 'bare object, 1,000 keys' },
  }),
}

function peerTarget(port: number, bodies: readonly string[]): Target {
  return { url: `http://127.0.0.1:${port}/`, bodies }
}

const only = new RegExp(process.env.BENCH_ONLY ?? '')
const bases = new Set(Object.entries(plan).flatMap(([name, { base }]) => (only.test(name) ? [name, base ?? ''] : [])))
const entries = Object.entries(plan).filter(([name]) => bases.has(name))
for (const [, { target }] of entries) await press(target, { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map(entries.map(([name, { target }]) => [name, () => servers.sample(target, pressure)])),
)

console.log(
  `${generator}, ${pressure.connections} connections, ${rounds} interleaved runs of ${pressure.seconds} s; medians, and ratios within a round (least to most).\n`,
)
printComparisons('decision', Object.fromEntries(entries), samples)

const waiting = [
  'bare Worker',
  'bare object, 1 key',
  'memory, 1 key',
  'durable, 1,000 keys, shard',
  'over limit, from the cache',
  'peer, 1,000 keys',
].filter((name) => samples.has(name))
const waits = new Map<string, Waits[]>(waiting.map((name) => [name, []]))
for (let round = 0; round < rounds; round++) {
  for (const [name, rows] of waits) {
    const target = plan[name]?.target
    if (target !== undefined) rows.push(await waitsAtHalfLoad(target, 2))
  }
}
console.log(
  `At half of what each gives to a Node client on ${waitConnections} connections, measured right before, or ${mostPerSecond} a second if that is less; medians of ${rounds} runs:\n`,
)
printTable(
  ['decision', 'a second', 'p50', 'p90'],
  [...waits].map(([name, rows]) => [
    name,
    median(rows.map(({ perSecond }) => perSecond)).toFixed(0),
    `${median(rows.map(({ p50 }) => p50)).toFixed(2)} ms`,
    `${median(rows.map(({ p90 }) => p90)).toFixed(2)} ms`,
  ]),
)

await peer?.program.stop()
await redis?.stop()
await servers.stop()
process.exit(0)
