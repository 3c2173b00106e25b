/** Twenty fixed routes through hono and through itty-router, beside comparing strings: what choosing a path costs. */

import { interleave, middle, printTable, ratioText } from './report.ts'
import { startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 32, seconds: 1 }
const servers = await startServers({})
const names = ['none', 'hono', 'itty']

const samples = await interleave(
  rounds,
  new Map(
    names.map((name) => [
      name,
      () => servers.sample({ url: `${servers.url('bare')}/${name}/19`, bodies: [] }, pressure),
    ]),
  ),
)

printTable(
  ['router, last of 20 routes', 'a second', 'rate beside none', 'processor time beside none'],
  names.map((name) => [
    name,
    middle(samples, name, 'perSecond').toFixed(0),
    ratioText(samples, name, 'none', 'perSecond'),
    ratioText(samples, name, 'none', 'micros'),
  ]),
)
await servers.stop()
process.exit(0)
