/** Limit of one counter object, and shards beyond it: simulated load on 1 to 64 objects, real load on one machine. */

import type { Random } from '#base/random.ts'
import { generator, press, type Target } from './load.ts'
import { interleave, middle, printTable, ratioText } from './report.ts'
import { drawEvenly, drawSkewed, type KeyDraw } from './scale-out/keys.ts'
import { findEnd, simulate } from './scale-out/queue.ts'
import { benchRules, questions, startServers } from './servers.ts'

/** Soft limit of one object by the platform's documentation, in requests a second. */
const capacity = 1_000
/** Wait at which an object counts as full: twenty times a call of an idle one. */
const boundMs = 20
const keys = 10_000
const calls = 40_000

const draws: Readonly<Record<string, (random: Random) => KeyDraw>> = {
  'one key': () => () => 0,
  'Zipf 1.1 over 10,000 keys': (random) => drawSkewed(random, keys, 1.1),
  'even over 10,000 keys': (random) => drawEvenly(random, keys),
}

function simulated(): readonly (readonly string[])[] {
  return Object.entries(draws).flatMap(([name, draw]) => {
    const endOf = (shards: number) => {
      const load = { keys: draw, seed: 1, shards, capacity, calls }
      return { load, end: findEnd(load, boundMs) }
    }
    const single = endOf(1).end
    return [1, 2, 4, 8, 64].map((shards) => {
      const { load, end } = endOf(shards)
      const { busiest } = simulate({ ...load, perSecond: end })
      const { p50Ms, p99Ms } = simulate({ ...load, perSecond: end / 2 })
      return [
        ...[name, String(shards), `${(busiest * 100).toFixed(0)} %`, Math.round(end).toLocaleString('en-US')],
        ...[(end / single).toFixed(2), `${p50Ms.toFixed(1)} ms, ${p99Ms.toFixed(1)} ms`],
      ]
    })
  })
}

console.log(
  `Simulated: an object answers ${capacity} calls a second, one after the other, and calls come at random moments. The end is where one call in a hundred waits longer than ${boundMs} ms.\n`,
)
printTable(
  ['keys', 'objects', 'busiest has', 'ends at, a second', 'of one object', 'p50, p99 at half of it'],
  simulated(),
)

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const pressure = { connections: 32, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
const shards = [1, 2, 4, 8]
const servers = await startServers(
  Object.fromEntries(
    shards.map((count) => [
      `${count}`,
      { vars: { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: `${count}` }, rules: benchRules },
    ]),
  ),
)
const target = (count: number): Target => ({ url: `${servers.url(`${count}`)}/json`, bodies: questions('day', 1000) })
for (const count of shards) await press(target(count), { ...pressure, seconds: 1 })
const samples = await interleave(
  rounds,
  new Map(shards.map((count) => [`${count}`, () => servers.sample(target(count), pressure)])),
)
console.log(
  `On one machine: ${generator}, ${pressure.connections} connections, 1,000 keys on disk, ${rounds} interleaved runs of ${pressure.seconds} s; medians, and ratios within a round (least to most).\n`,
)
printTable(
  ['objects', 'decisions a second', 'of one object', 'processor time'],
  shards.map((count) => {
    const name = `${count}`
    return [
      name,
      Math.round(middle(samples, name, 'perSecond')).toString(),
      count === 1 ? '' : ratioText(samples, name, '1', 'perSecond'),
      count === 1 ? '' : ratioText(samples, name, '1', 'micros'),
    ]
  }),
)
await servers.stop()
