/** Costs of decisions, incidents, reads and writes on the platform: metered calls, rows and time, times prices. */

import { fullToken, gatewayVars } from '#test/support/gateway-bundle.ts'
import { gridClient, gridToken } from '#test/support/grid-service.ts'
import { redisServer, startRedis } from '#test/support/redis.ts'
import { type MeteredWorker, startMetered } from './cost/metered.ts'
import { meterRate, type RateUsage, ratePlans } from './cost/rates.ts'
import { type CostRow, costPage, ratePage } from './cost/table.ts'

const count = Number(process.env.COST_COUNT ?? 1_000)
const adminToken = 'token-of-the-bench'
const vars = { ...gatewayVars, ADMIN_TOKEN: adminToken, GRID_TOKEN: gridToken }
const rules = 'domain: d\ndescriptors: [{key: k, rate_limit: {unit: minute, requests_per_unit: 4000000000}}]\n'
const streamId = `st${'c'.repeat(30)}`
const gatewayHeaders = { authorization: `Bearer ${fullToken}`, 'content-type': 'application/json' }

/** Does work so many times, ten at once. */
async function repeat(times: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let at = next++; at < times; at = next++) await work(at)
  }
  await Promise.all(Array.from({ length: 10 }, worker))
}

async function expectOk(response: Response): Promise<void> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text.slice(0, 300)}`)
}

async function decisions(unit: string, placement: string): Promise<CostRow> {
  const worker = await startMetered({ ...vars, COUNTER_PLACEMENT: placement })
  try {
    const body = JSON.stringify({ files: { 'config.d.yaml': rules } })
    const headers = { authorization: `Bearer ${adminToken}` }
    await expectOk(await fetch(`${worker.url}/config/files`, { method: 'PUT', headers, body }))
    const decide = async (at: number) => {
      const entries = [{ key: 'k', value: String(at % 50) }]
      const question = JSON.stringify({ domain: 'd', descriptors: [{ entries }] })
      await expectOk(await fetch(`${worker.url}/json`, { method: 'POST', body: question }))
    }
    await repeat(100, decide)
    return { unit, done: count, usage: await worker.use(count, () => repeat(count, decide)) }
  } finally {
    await worker.stop()
  }
}

async function incidents(worker: MeteredWorker): Promise<CostRow> {
  const client = gridClient(worker.url)
  await client.standAt(60)
  await client.enable('GOOSE_TRIP_SPOOF')
  await client.enable('DNP3_CONTROL')
  const before = (await client.incidents()).length
  const steps = Math.max(200, count)
  const usage = await worker.use(steps / 100, () => client.step(steps))
  return { unit: 'incidents', done: (await client.incidents()).length - before, usage }
}

async function writes(worker: MeteredWorker): Promise<CostRow> {
  const base = `${worker.url}/streamnet/v1`
  const post = async (operation: string, params: object) =>
    expectOk(
      await fetch(`${base}/${operation}`, { method: 'POST', headers: gatewayHeaders, body: JSON.stringify(params) }),
    )
  await post('deploy_stream', { stream_id: streamId, stream_type: 'primitive' })
  const times = Math.max(20, count / 20)
  const insert = (at: number) => post('insert_record', { stream_id: streamId, record: { date: at + 1, value: '1.5' } })
  return { unit: 'records written', done: times, usage: await worker.use(times, () => repeat(times, insert)) }
}

async function reads(worker: MeteredWorker, unit: string, address: (at: number) => string): Promise<CostRow> {
  const read = async (at: number) =>
    expectOk(await fetch(`${worker.url}/streamnet/v1/${address(at)}`, { headers: gatewayHeaders }))
  await read(0)
  return { unit, done: count, usage: await worker.use(count, () => repeat(count, read)) }
}

const counted = [
  await decisions('decisions, an object for each key', 'per-key'),
  await decisions('decisions, in shards', 'shard'),
] as const
const redis = redisServer === null ? undefined : await startRedis([])
const worker = await startMetered(vars)
try {
  const rows = [
    ...counted,
    await incidents(worker),
    await writes(worker),
    await reads(
      worker,
      'reads of a stream',
      (at) => `get_records?stream_id=${streamId}&date_from=${1 + (at % 10)}&date_to=10`,
    ),
    await reads(
      worker,
      'reads at a past height, kept',
      () => `get_records?stream_id=${streamId}&date_from=1&date_to=10&frozen_at=3`,
    ),
  ]
  const [{ usage }] = counted
  const rates: RateUsage[] = []
  for (const plan of ratePlans(redis && `127.0.0.1:${redis.port}`)) {
    rates.push(await meterRate(plan, usage.cpuMs / count))
  }
  console.log([costPage(rows), ratePage(rates)].join('\n\n'))
} finally {
  await worker.stop()
  redis?.program.stop()
}
