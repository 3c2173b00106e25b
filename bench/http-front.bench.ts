/** Cost of the HTTP front of `npm start` beside the runtime's own socket (`--bare-port`). */

import { generator, press, type Target, type Waits, waitsAtHalfLoad } from './load.ts'
import { interleave, median, middle, printTable, ratioText } from './report.ts'
import { benchRules, processorSeconds, questions, startPeer, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const shard = { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }
const servers = await startServers({ shard: { vars: shard, rules: benchRules } })
const portOf = (url: string) => Number(new URL(url).port)
const [bareFront, shardFront] = [
  await startPeer('http-front', portOf(servers.url('bare'))),
  await startPeer('http-front', portOf(servers.url('shard'))),
]

/** Requests to the runtime's socket and to the front before it. */
const subjects: Readonly<
  Record<string, { front: typeof bareFront; url: string; path: string; bodies: readonly string[] }>
> = {
  'bare Worker': { front: bareFront, url: servers.url('bare'), path: '/worker', bodies: questions('day', 1) },
  'decision, memory, 1,000 keys': {
    front: shardFront,
    url: servers.url('shard'),
    path: '/json',
    bodies: questions('second', 1000),
  },
  'decision, durable, 1,000 keys': {
    front: shardFront,
    url: servers.url('shard'),
    path: '/json',
    bodies: questions('day', 1000),
  },
}

const frontMicros = new Map<string, number[]>()
const direct = ({ url, path, bodies }: (typeof subjects)[string]): Target => ({ url: `${url}${path}`, bodies })
const fronted = ({ front, path, bodies }: (typeof subjects)[string]): Target => ({
  url: `http://127.0.0.1:${front.port}${path}`,
  bodies,
})

const measurements = Object.entries(subjects).flatMap(([name, subject]) => [
  [`${name}, own socket`, () => servers.sample(direct(subject), pressure)] as const,
  [
    `${name}, front`,
    async () => {
      const pid = subject.front.program.child.pid ?? 0
      const before = processorSeconds(pid)
      const sample = await servers.sample(fronted(subject), pressure)
      const spent = (processorSeconds(pid) - before) / (sample.perSecond * pressure.seconds)
      frontMicros.set(name, [...(frontMicros.get(name) ?? []), spent * 1e6])
      return sample
    },
  ] as const,
])
for (const subject of Object.values(subjects)) {
  await press(direct(subject), { ...pressure, seconds: 1 })
  await press(fronted(subject), { ...pressure, seconds: 1 })
}
const samples = await interleave(rounds, new Map(measurements))

console.log(
  `${generator}, ${pressure.connections} connections, ${rounds} interleaved runs of ${pressure.seconds} s; medians, and ratios within a round (least to most). The front, the runtime and the generator share two processors.\n`,
)
printTable(
  ['asked', 'own socket, a second', 'front, a second', 'rate', "runtime's processor time", "front's processor time"],
  Object.keys(subjects).map((name) => [
    name,
    middle(samples, `${name}, own socket`, 'perSecond').toFixed(0),
    middle(samples, `${name}, front`, 'perSecond').toFixed(0),
    ratioText(samples, `${name}, front`, `${name}, own socket`, 'perSecond'),
    ratioText(samples, `${name}, front`, `${name}, own socket`, 'micros'),
    `${median(frontMicros.get(name) ?? []).toFixed(0)} µs`,
  ]),
)

const waiting = new Map<string, { target: Target; rows: Waits[] }>(
  Object.entries(subjects).flatMap(([name, subject]) => [
    [`${name}, own socket`, { target: direct(subject), rows: [] }],
    [`${name}, front`, { target: fronted(subject), rows: [] }],
  ]),
)
for (let round = 0; round < rounds; round++) {
  for (const { target, rows } of waiting.values()) rows.push(await waitsAtHalfLoad(target, pressure.seconds))
}
console.log(`At half of what each gives to a Node client; medians of ${rounds} runs:\n`)
printTable(
  ['asked', 'a second', 'p50', 'p90'],
  [...waiting].map(([name, { rows }]) => [
    name,
    median(rows.map(({ perSecond }) => perSecond)).toFixed(0),
    `${median(rows.map(({ p50 }) => p50)).toFixed(2)} ms`,
    `${median(rows.map(({ p90 }) => p90)).toFixed(2)} ms`,
  ]),
)
await Promise.all([bareFront.program.stop(), shardFront.program.stop()])
await servers.stop()
process.exit(0)
