/** Calls of the limiter from another Worker beside bare RPC, in one runtime; and what the middleware costs itself. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { planWorker } from '#bin/runtime/worker-plan.ts'
import { rateLimit } from '#limiter/fetch.ts'
import type { LimitResult } from '#limiter/types.ts'
import { compatibilityDate } from '#test/support/workerd.ts'
import { press, type Target } from './load.ts'
import { interleave, median, printComparisons } from './report.ts'
import { benchRules, processorSeconds } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const pressure = { connections: 8, seconds: Number(process.env.BENCH_SECONDS ?? 2) }
/** Calls of a request one after another: HTTP is a small part of what is measured. */
const calls = 10

/** The least that a Worker answers over RPC: with a count of an object, so for the question of `limit()`, and without. */
const bareScript = `import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
export class Counter extends DurableObject {
  hits = new Map()
  hit(key) { const hits = (this.hits.get(key) ?? 0) + 1; this.hits.set(key, hits); return hits }
}
export class Bare extends WorkerEntrypoint {
  async count({ key }) { return { success: (await this.env.COUNTER.getByName('0').hit(key)) < 4e9 } }
  async limit({ domain, entries }) {
    const hits = await this.env.COUNTER.getByName('0').hit(domain + entries.second)
    const reset = (Math.floor(Date.now() / 1000) + 1) * 1000
    return { success: hits < 4e9, limit: 4e9, remaining: 4e9 - hits, period: 1, reset, retryAfter: null, reason: null }
  }
  answer({ key }) { return { success: key !== '' } }
}
export default {}
`
const callerScript = `export default {
  async fetch(request, env) {
    const { binding, method, asked } = await request.json()
    let result
    for (let call = 0; call < ${calls}; call++) result = await env[binding][method](asked)
    return new Response(null, { status: result.success ? 200 : 500 })
  },
}
`

const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
const modulesOf = (name: string, text: string) => {
  const path = join(folder, `${name}.js`)
  writeFileSync(path, text)
  return [{ name: 'worker.js', path }]
}
const plain = { compatibilityDate, compatibilityFlags: [] }
await bundleWorkers(['ratelimit'])
const shard = { RATELIMIT_RULES: benchRules, COUNTER_PLACEMENT: 'shard', COUNTER_SHARDS: '1' }
const runtime = await startRuntimeProcess({
  workers: [
    planWorker({ worker: 'ratelimit', name: 'limiter', vars: shard }),
    planWorker({ worker: 'ratelimit', name: 'leased', vars: { ...shard, LEASES: 'on' } }),
    {
      ...plain,
      name: 'bare',
      modules: modulesOf('bare', bareScript),
      objects: [{ className: 'Counter', uniqueKey: 'bare-Counter' }],
      bindings: [{ name: 'COUNTER', className: 'Counter' }],
    },
    {
      ...plain,
      name: 'caller',
      modules: modulesOf('caller', callerScript),
      objects: [],
      bindings: [
        { name: 'LIMITER', service: 'limiter', entrypoint: 'RateLimiter' },
        { name: 'LEASED', service: 'leased', entrypoint: 'RateLimiter' },
        { name: 'BARE', service: 'bare', entrypoint: 'Bare' },
      ],
    },
  ],
  sockets: [{ name: 'caller', address: '127.0.0.1:0', service: 'caller' }],
  state: join(folder, 'state'),
})

const url = `http://127.0.0.1:${runtime.port('caller')}`
const target = (binding: string, method: string, asked: object): Target => ({
  url,
  bodies: [JSON.stringify({ binding, method, asked })],
})
const asked = { domain: 'd', entries: { second: 'k' } }

/** Every measurement: its target, what it is compared with, and the ratio it aims at. */
const plan: Readonly<Record<string, { target: Target; base?: string; aim?: string }>> = {
  'bare RPC': { target: target('BARE', 'answer', { key: 'k' }) },
  'bare RPC that counts in an object': { target: target('BARE', 'count', { key: 'k' }) },
  'that, asked and answering as limit()': {
    target: target('BARE', 'limit', asked),
    base: 'bare RPC that counts in an object',
  },
  'limit()': { target: target('LIMITER', 'limit', asked), base: 'bare RPC that counts in an object', aim: '0.90' },
  'limit(), from a lease': {
    target: target('LEASED', 'limit', { domain: 'd', entries: { day: 'k' } }),
    base: 'bare RPC',
    aim: '0.85',
  },
}
for (const { target: first } of Object.values(plan)) await press(first, { ...pressure, seconds: 12 / 4 })
const samples = await interleave(
  rounds,
  new Map(
    Object.entries(plan).map(([name, { target: one }]) => [
      name,
      async () => {
        const before = processorSeconds(runtime.pid)
        const { answers, perSecond } = await press(one, pressure)
        const micros = ((processorSeconds(runtime.pid) - before) / answers / calls) * 1e6
        return { perSecond: perSecond * calls, micros }
      },
    ]),
  ),
)
await runtime.stop()
rmSync(folder, { recursive: true, force: true })

console.log(
  `${pressure.connections} connections, ${calls} calls in each request; ${rounds} rounds of ${pressure.seconds} s.\n`,
)
printComparisons('call', plan, samples)

/** A result that is there at once, so that the rest is the middleware. */
const result: LimitResult = {
  success: true,
  limit: 10,
  remaining: 9,
  period: 60,
  reset: Date.now() + 60_000,
  retryAfter: null,
  reason: null,
}
const limiter = { limit: async () => result }
const handler = () => new Response('ok')
const limited = rateLimit(handler, { limiter, key: (request) => request.url })
const request = new Request('https://example.com/')
const turns = 20_000

async function microseconds(answer: (request: Request) => Response | Promise<Response>): Promise<number> {
  const begin = performance.now()
  for (let turn = 0; turn < turns; turn++) await answer(request)
  return ((performance.now() - begin) / turns) * 1000
}

const costs: number[] = []
for (let round = 0; round <= rounds; round++) costs.push((await microseconds(limited)) - (await microseconds(handler)))
console.log(
  `The middleware of fetch itself: ${median(costs.slice(1)).toFixed(1)} us a request in Node; at most 20 us.\n`,
)
