/** A decision by each algorithm beside one by the windows of the reference, over `/json`: in memory, durable, from a lease. */

import { generator, press, type Target } from './load.ts'
import { interleave, middle, printTable, ratioText } from './report.ts'
import { questions, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const keys = 1_000
/** Keys that are leased, and rounds until their demand is known. */
const busy = { keys: 16, rounds: 6 }

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
/** Windows that a holder can have a lease of, because each hit counts in them (R72 of `docs/ratelimit.md`). */
const leasable: readonly string[] = [reference, 'fixed, several units', 'calendar']
/** Least rate beside the windows of the reference, by the place of the counters. */
const aims: Readonly<Record<string, string>> = { memory: '0.95', durable: '0.90', leased: '0.95' }
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

const vars = { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }
const servers = await startServers({ shard: { vars, rules }, leased: { vars: { ...vars, LEASES: 'on' }, rules } })
const target = (service: string, bodies: readonly string[]): Target => ({ url: `${servers.url(service)}/json`, bodies })
const plan = new Map(
  Object.entries(periods).flatMap(([where, unit]) =>
    blocks
      .filter(({ name }) => where === 'durable' || name !== 'calendar')
      .map(({ name, at }) => {
        const bodies = questions(`${unit}${at}`, keys, name.startsWith(four) ? 4 : 1)
        return [`${name}, ${where}`, target('shard', bodies)] as const
      }),
  ),
)
const leased = new Map(
  blocks
    .filter(({ name }) => leasable.includes(name))
    .map(({ name, at }) => [`${name}, leased`, target('leased', questions(`day${at}`, busy.keys))]),
)
const measure = (targets: ReadonlyMap<string, Target>, times: number) =>
  interleave(times, new Map([...targets].map(([name, one]) => [name, () => servers.sample(one, pressure)])))

for (const [, one] of plan) await press(one, { ...pressure, seconds: 1 })
const counted = await measure(plan, rounds)
// By themselves: a quarter of a minute without a hit would give every lease back.
await measure(leased, busy.rounds)
const samples = new Map([...counted, ...(await measure(leased, rounds))])

console.log(
  `${generator}, ${pressure.connections} connections, ${keys} keys of one shard (${busy.keys} that are leased), ${rounds} interleaved runs of ${pressure.seconds} s; medians, and ratios within a round (least to most).\n`,
)
printTable(
  ['decision', 'a second', 'rate, of the reference windows', 'processor time', 'aim'],
  [...samples.keys()].map((name) => {
    const where = name.slice(name.lastIndexOf(' ') + 1)
    const base = `${name.startsWith(four) ? four : reference}, ${where}`
    const isBase = name === base
    return [
      name,
      middle(samples, name, 'perSecond').toFixed(0),
      isBase ? '' : ratioText(samples, name, base, 'perSecond'),
      isBase ? '' : ratioText(samples, name, base, 'micros'),
      isBase || name.startsWith('two') ? '' : (aims[where] ?? ''),
    ]
  }),
)
await servers.stop()
process.exit(0)
