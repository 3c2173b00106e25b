/** Memory that ten thousand live counters hold in the runtime, each in a separate object or all on one shard. */

import { press } from './load.ts'
import { printTable } from './report.ts'
import { benchRules, questions, startServers } from './servers.ts'

const counters = 10_000
/** An object keeps files open: beyond some thousands a runtime with the usual limits refuses to open more. */
const objects = 2_000
const rows: string[][] = []

for (const [name, vars, asked] of [
  ['per key', {}, objects],
  ['one shard', { COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }, counters],
] as const) {
  for (const [durability, unit] of [
    ['memory', 'second'],
    ['durable', 'day'],
  ] as const) {
    // A process for each, because memory that one has used is not given back to the next.
    const servers = await startServers({ service: { vars, rules: benchRules } })
    const target = (count: number) => ({ url: `${servers.url('service')}/json`, bodies: questions(unit, count) })
    await press(target(1), { connections: 16, seconds: 2 })
    const before = servers.residentBytes()
    const { answers } = await press(target(asked), { connections: 16, seconds: 8 })
    // An object goes after ten seconds without a call, so those that were touched in this time are alive.
    const touched = Math.min(answers, asked)
    const bytes = (servers.residentBytes() - before) / touched
    rows.push([
      name,
      durability,
      String(touched),
      `${(bytes / 1024).toFixed(1)} KiB`,
      `${((bytes * counters) / 2 ** 20).toFixed(0)} MiB`,
    ])
    await servers.stop()
  }
}

printTable(['placement', 'window', 'counters alive', 'a counter', '10,000 counters'], rows)
process.exit(0)
