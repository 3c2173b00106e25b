/** Decisions from leases beside the bare Worker and a limiter in Node on Redis: one hot key, and many keys with a skew. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '#base/random.ts'
import { redisServer, startRedis } from '#test/support/redis.ts'
import { generator, press, type Target } from './load.ts'
import { interleave, printComparisons, printTable, type Sample } from './report.ts'
import { drawSkewed } from './scale-out/keys.ts'
import { adminHeaders, benchRules, question, questions, startPeer, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const pressure = { connections: 32, seconds }
/** Milliseconds until the demand of keys is known; the first ten seconds of a key are its slow start. */
const warmMs = 12_000

const off = { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '64' }
const on = { ...off, LEASES: 'on' }
const servers = await startServers({
  off: { vars: off, rules: benchRules },
  on: { vars: on, rules: benchRules },
  perKey: { vars: { LEASES: 'on', COUNTER_PLACEMENT: 'per-key' }, rules: benchRules },
})
const redis = redisServer === null ? null : await startRedis()
const peer = redis === null ? null : await startPeer('rate-limiter-flexible', redis.port)

/** Zipf: the key of rank n comes as often as 1 / n^1.1. More questions than a run can ask, so that none repeats. */
const skew = { exponent: 1.1, keys: 10_000, questions: 100_000 }
/** An object keeps files open: some thousands of them end a runtime with the usual limits. */
const objects = 1_000

function skewedQuestions(unit: string, keys: number, prefix = 'k'): readonly string[] {
  const random = createRandom(1, 'skew')
  const draw = drawSkewed(random, keys, skew.exponent)
  return Array.from({ length: skew.questions }, () => question(unit, [`${prefix}${draw()}`]))
}

const hot = questions('day', 1)
const skewed = skewedQuestions('day', skew.keys)
const ours = (service: string, bodies: readonly string[]): Target => ({ url: `${servers.url(service)}/json`, bodies })

type Measure = () => Promise<Sample>

const asItIs =
  (target: Target): Measure =>
  () =>
    servers.sample(target, pressure)

/** A quarter of a minute without a hit gives every lease back, so each round begins with seconds of the same load. */
const inDemand =
  (target: Target): Measure =>
  async () => {
    await press(target, { ...pressure, seconds: warmMs / 1000, bearsCuts: true })
    return servers.sample(target, pressure)
  }

let generation = 0
const neverSeen: Measure = () =>
  servers.sample(ours('on', skewedQuestions('day', skew.keys, `n${generation++}-`)), { ...pressure, bearsCuts: true })

const plan: Readonly<Record<string, { measure: Measure; base?: string; aim?: string }>> = {
  'bare Worker': { measure: asItIs({ url: `${servers.url('bare')}/worker`, bodies: hot }) },
  'bare Worker, skewed bodies': { measure: asItIs({ url: `${servers.url('bare')}/worker`, bodies: skewed }) },
  'leases, hot key': { measure: asItIs(ours('on', hot)), base: 'bare Worker', aim: '0.80' },
  'leases, skew, keys in demand': {
    measure: inDemand(ours('on', skewed)),
    base: 'bare Worker, skewed bodies',
    aim: '0.70',
  },
  'leases, skew, keys never seen': { measure: neverSeen, base: 'bare Worker, skewed bodies' },
  'off, hot key': { measure: asItIs(ours('off', hot)), base: 'bare Worker' },
  'off, skew': { measure: asItIs(ours('off', skewed)), base: 'bare Worker, skewed bodies' },
  ...(peer !== null && {
    'peer, hot key': { measure: asItIs({ url: `http://127.0.0.1:${peer.port}/`, bodies: hot }), base: 'bare Worker' },
    'peer, skew': {
      measure: asItIs({ url: `http://127.0.0.1:${peer.port}/`, bodies: skewed }),
      base: 'bare Worker, skewed bodies',
    },
  }),
}

// The first round compiles, connects and opens files.
for (const { measure } of Object.values(plan)) await measure()
const samples = await interleave(rounds, new Map(Object.entries(plan).map(([name, { measure }]) => [name, measure])))
console.log(
  `${generator}, ${pressure.connections} connections, ${rounds} interleaved runs of ${seconds} s; medians, and ratios within a round (least to most). Skew: Zipf ${skew.exponent} over ${skew.keys} keys, in demand after ${warmMs / 1000} s of the same load.\n`,
)
printComparisons('decision', plan, samples)

/** Calls of objects for leases, and hits from leases, since the service was started. */
async function leaseCounts(service: string) {
  const response = await fetch(`${servers.url(service)}/stats`, { headers: adminHeaders })
  const text = await response.text()
  const of = (name: string) => Number(new RegExp(`^ratelimit\\.leases\\.${name}: (\\d+)$`, 'm').exec(text)?.[1])
  return { calls: of('calls') || 0, admitted: of('admitted') || 0 }
}

/**
 * Object calls per decision once demand is known, as fast as the service answers. Thousands of new keys are written one
 * by one meanwhile, so connections may be cut. An object for each key comes last: many objects slow down everything
 * that is measured beside them.
 */
async function callsPerDecision(service: string, bodies: readonly string[]): Promise<number> {
  await press(ours(service, bodies), { ...pressure, seconds: warmMs / 1000, bearsCuts: true })
  const before = await leaseCounts(service)
  const { answers } = await press(ours(service, bodies), { ...pressure, seconds: 5, bearsCuts: true })
  // Questions that wait are sent within a quarter of a second, and counted half a second later.
  await sleep(1_000)
  return ((await leaseCounts(service)).calls - before.calls) / answers
}

console.log('\nObject calls per decision at the rates above, after ten seconds:\n')
printTable(
  ['decision', 'calls', 'aim'],
  [
    ['leases, hot key', (await callsPerDecision('on', hot)).toFixed(4), '0.02'],
    ['leases, skew, 64 shards', (await callsPerDecision('on', skewed)).toFixed(3), '0.3'],
    [
      `leases, skew over ${objects} keys, an object per key`,
      (await callsPerDecision('perKey', skewedQuestions('day', objects))).toFixed(3),
      '0.3',
    ],
  ],
)

await peer?.program.stop()
await redis?.stop()
await servers.stop()
process.exit(0)
