/** Cost of recording decisions: the same service with USAGE_ENABLED off and on. */

import { generator, press, type Target } from './load.ts'
import { interleave, middle, printTable, ratioText } from './report.ts'
import { benchRules, questions, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const shard = { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1', LOCAL_CACHE_SIZE_IN_BYTES: '1000000' }
const servers = await startServers({
  on: { vars: shard, rules: benchRules },
  off: { vars: { ...shard, USAGE_ENABLED: 'false' }, rules: benchRules },
})

const target = (service: 'on' | 'off', bodies: readonly string[], status: 200 | 429 = 200): Target => ({
  url: `${servers.url(service)}/json`,
  bodies,
  status,
})

/** Each pair differs in nothing but the setting. */
const plan: Readonly<Record<string, { target: Target; base?: string }>> = {
  'counted in memory, usage off': { target: target('off', questions('second', 1_000)) },
  'counted in memory, usage on': {
    target: target('on', questions('second', 1_000)),
    base: 'counted in memory, usage off',
  },
  'over limit from the cache, usage off': { target: target('off', questions('none', 1), 429) },
  'over limit from the cache, usage on': {
    target: target('on', questions('none', 1), 429),
    base: 'over limit from the cache, usage off',
  },
}

const entries = Object.entries(plan)
for (const [, { target: warm }] of entries) await press(warm, { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map(entries.map(([name, { target: one }]) => [name, () => servers.sample(one, pressure)])),
)

console.log(
  `${generator}, ${pressure.connections} connections, ${rounds} interleaved runs of ${pressure.seconds} s; medians, and ratios within a round (least to most).\n`,
)
printTable(
  ['decision', 'a second', 'compared with', 'rate', 'processor time'],
  entries.map(([name, { base = '' }]) => [
    name,
    middle(samples, name, 'perSecond').toFixed(0),
    base,
    base === '' ? '' : ratioText(samples, name, base, 'perSecond'),
    base === '' ? '' : ratioText(samples, name, base, 'micros'),
  ]),
)

await servers.stop()
process.exit(0)
