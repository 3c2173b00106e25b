/** A decision by each algorithm beside one by the windows of the reference, over `/json`: in memory and durable. */

import { generator, press, type Target } from './load.ts'
import { interleave, middle, printTable, ratioText } from './report.ts'
import { questions, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const keys = 1_000

/** Blocks `sluice` of limits that never run out. */
const algorithms: Readonly<Record<string, string>> = {
  'fixed, several units': '{unit_multiplier: 2}',
  'fixed, admitted hits': '{charge: admitted}',
  sliding: '{algorithm: sliding}',
  'token bucket': '{algorithm: token_bucket}',
  calendar: '{algorithm: calendar, time_zone: Europe/Berlin}',
  'four descriptors, all or nothing': '{charge: all_or_nothing}',
  'two limits': '{limits: [{name: second, unit: year, requests_per_unit: 4000000000}]}',
}
const reference = 'windows of the reference'
const four = 'four descriptors'
const blocks = [[reference, ''], [four, ''], ...Object.entries(algorithms)].map(([name = '', block = ''], at) => ({
  name,
  block,
  at,
}))

/** A calendar has no seconds. */
const periods = { memory: 'second', durable: 'day' } as const
const rules = `domain: d
descriptors:
${Object.values(periods)
  .flatMap((unit) => blocks.map(({ block, at }) => rule(`${unit}${at}`, unit, block)))
  .join('\n')}
`

function rule(key: string, unit: string, block: string): string {
  const sluice = block === '' ? '' : `, sluice: ${block}`
  const period = block.includes('calendar') ? 'day' : unit
  return `  - {key: ${key}, rate_limit: {unit: ${period}, requests_per_unit: 4000000000, name: first${sluice}}}`
}

const servers = await startServers({ shard: { vars: { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }, rules } })
const target = (key: string, width: number): Target => ({
  url: `${servers.url('shard')}/json`,
  bodies: questions(key, keys, width),
})
const plan = new Map(
  Object.entries(periods).flatMap(([where, unit]) =>
    blocks
      .filter(({ name }) => where === 'durable' || name !== 'calendar')
      .map(({ name, at }) => [`${name}, ${where}`, target(`${unit}${at}`, name.startsWith(four) ? 4 : 1)] as const),
  ),
)
for (const [, one] of plan) await press(one, { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map([...plan].map(([name, one]) => [name, () => servers.sample(one, pressure)])),
)

console.log(
  `${generator}, ${pressure.connections} connections, ${keys} keys of one shard, ${rounds} interleaved runs of ${pressure.seconds} s; medians, and ratios within a round (least to most).\n`,
)
printTable(
  ['decision', 'a second', 'rate, of the reference windows', 'processor time', 'aim'],
  [...plan.keys()].map((name) => {
    const where = name.endsWith('memory') ? 'memory' : 'durable'
    const base = `${name.startsWith(four) ? four : reference}, ${where}`
    const isBase = name === base
    return [
      name,
      middle(samples, name, 'perSecond').toFixed(0),
      isBase ? '' : ratioText(samples, name, base, 'perSecond'),
      isBase ? '' : ratioText(samples, name, base, 'micros'),
      isBase || name.startsWith('two') ? '' : where === 'memory' ? '0.95' : '0.90',
    ]
  }),
)
await servers.stop()
process.exit(0)
