/** Quota assignments: many streams that report every second to one object, and how soon a change of demand shows. */

import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, WebSocket } from 'undici'
import { quotaStreamPath } from '#proto-json/index.ts'
import { fillSeconds } from '#ratelimit/quota/token-bucket.ts'
import { printTable } from './report.ts'
import { startServers } from './servers.ts'

const streams = Number(process.env.BENCH_STREAMS ?? 200)
const buckets = Number(process.env.BENCH_BUCKETS ?? 50)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
/** Hits a second of each bucket's limit, in a window of a day. */
const rate = 1_000
const reportMs = 1_000

const rules = `domain: bench\ndescriptors:\n  - {key: day, rate_limit: {unit: day, requests_per_unit: ${rate * 86_400}}}\n`
const servers = await startServers({
  quota: { vars: { QUOTA_STREAMS: 'open', COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }, rules },
})

/** Rates that each stream was assigned, by bucket; hits a second. */
const assigned = Array.from({ length: streams }, () => new Map<string, number>())
let actions = 0
const dispatcher = new Agent({ connections: streams })
const url = `${servers.url('quota').replace('http', 'ws')}${quotaStreamPath}?domain=bench`
const sockets = await Promise.all(assigned.map(open))

function open(rates: Map<string, number>): Promise<WebSocket> {
  const socket = new WebSocket(url, { dispatcher })
  socket.addEventListener('message', ({ data }) => {
    for (const { bucket, tokensPerFill = 0 } of JSON.parse(String(data))) {
      actions += 1
      rates.set(bucket[0].value, tokensPerFill / fillSeconds)
    }
  })
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => reject(new Error('Cannot open a stream: is the service built?')))
  })
}

/** Demand of each stream for each bucket; hits a second. */
let demandOf = (_stream: number) => (2 * rate) / streams
const reporting = setInterval(() => {
  for (const [stream, socket] of sockets.entries()) {
    const usages = Array.from({ length: buckets }, (_, at) => {
      const asked = Math.round((demandOf(stream) * reportMs) / 1_000)
      const allowed = Math.min(asked, Math.floor(assigned[stream]?.get(`${at}`) ?? 0))
      return { bucket: [{ key: 'day', value: `${at}` }], allowed, denied: asked - allowed }
    })
    socket.send(JSON.stringify(usages))
  }
}, reportMs)

/** Sum over the streams of the least filled bucket, as a share of the limit. */
function leastFilled(of: (stream: number) => boolean): number {
  const sums = Array.from({ length: buckets }, (_, at) =>
    assigned.reduce((sum, rates, stream) => sum + (of(stream) ? (rates.get(`${at}`) ?? 0) : 0), 0),
  )
  return Math.min(...sums) / rate
}

async function msUntil(isReached: () => boolean): Promise<number> {
  const began = performance.now()
  while (!isReached()) {
    if (performance.now() - began > 60_000) return Number.NaN
    await sleep(10)
  }
  return performance.now() - began
}

const firstMs = await msUntil(() => leastFilled(() => true) >= 0.9)
const before = actions
await sleep(seconds * 1_000)
const steady = (actions - before) / seconds
// From now on only every second stream is asked, twice as often.
const isBusy = (stream: number) => stream % 2 === 0
demandOf = (stream) => (isBusy(stream) ? (4 * rate) / streams : 0)
const changedMs = await msUntil(() => leastFilled(isBusy) >= 0.9)
clearInterval(reporting)

console.log(
  `${streams} streams with ${buckets} buckets each report every ${reportMs / 1_000} s to one object, which draws from one shard.\n`,
)
printTable(
  ['measured', 'value'],
  [
    ['reports of buckets a second', `${(streams * buckets * 1_000) / reportMs}`],
    ['from the first report to assignments of 0.9 of every limit', `${firstMs.toFixed(0)} ms`],
    ['from a change of demand to assignments of 0.9 of every limit', `${changedMs.toFixed(0)} ms`],
    ['that, in reporting intervals', (changedMs / reportMs).toFixed(1)],
    ['actions a second while demand is steady', steady.toFixed(0)],
  ],
)
for (const socket of sockets) socket.close()
await servers.stop()
process.exit(0)
