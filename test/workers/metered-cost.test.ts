/** The table of costs from measured calls: the metered Worker of `npm run cost`, and what a few decisions use. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MeteredWorker, startMetered } from '#bench/cost/metered.ts'
import { costOf } from '#bench/cost/prices.ts'
import { meterRate } from '#bench/cost/rates.ts'
import { costPage } from '#bench/cost/table.ts'

const adminToken = 'token-of-the-cost-test'
const rules = 'domain: d\ndescriptors: [{key: k, rate_limit: {unit: minute, requests_per_unit: 1000}}]\n'
const body = JSON.stringify({ domain: 'd', descriptors: [{ entries: [{ key: 'k', value: 'a' }] }] })
let worker: MeteredWorker

beforeAll(async () => {
  worker = await startMetered({ ADMIN_TOKEN: adminToken, COUNTER_DURABILITY: 'strict' })
  const headers = { authorization: `Bearer ${adminToken}` }
  const files = JSON.stringify({ files: { 'config.d.yaml': rules } })
  const put = await fetch(`${worker.url}/config/files`, { method: 'PUT', headers, body: files })
  expect(put.status).toBe(200)
})

afterAll(() => worker?.stop())

async function decide(times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    const answer = await fetch(`${worker.url}/json`, { method: 'POST', body })
    expect(await answer.json()).toMatchObject({ overallCode: 'OK' })
  }
}

describe('the metered Worker', () => {
  it('counts a call and a row for each decision that is on disk before its answer, and the table has their price', async () => {
    await decide(2)
    const done = 20
    const usage = await worker.use(done, () => decide(done))
    expect(usage.objectRequests).toBeGreaterThanOrEqual(done)
    expect(usage.rowsWritten).toBeGreaterThanOrEqual(done)
    expect(usage.objectMs).toBeGreaterThan(0)
    const page = costPage([{ unit: 'decisions', done, usage }])
    const million = (costOf(usage) / done) * 1e6
    // A request to the Worker, one to the object, and a row: 0.30 + 0.15 + 1.00.
    expect(million).toBeGreaterThan(1.45)
    expect(page).toContain(`| ${million.toFixed(2)} |`)
  })
})

describe('meterRate()', () => {
  const plan = {
    name: '',
    everyMs: 1_000,
    unit: 'minute',
    limit: 1_000,
    vars: { COUNTER_PLACEMENT: 'per-key' },
  } as const

  it('finds four rows and three requests in the life of a counter that is hit once, its cleaning up included', async () => {
    const { classes } = await meterRate({ ...plan, keys: 0, count: 6, before: 0 }, 0)
    expect(classes.COUNTER).toMatchObject({ objectRequests: 18, rowsWritten: 24 })
  })

  it('finds one row in ten hits of a counter in use, and no time in which it is awake between them', async () => {
    const { classes, usage } = await meterRate({ ...plan, keys: 1, count: 50, before: 50, unit: 'hour' }, 0)
    expect(classes.COUNTER?.rowsWritten).toBeLessThanOrEqual(6)
    expect(classes.COUNTER?.objectRequests).toBe(50)
    expect(usage.objectMs).toBeLessThan(25_000)
    // A row and a batch of statistics and of usage in twenty seconds.
    expect(classes.STATS?.rowsWritten).toBeLessThanOrEqual(8)
  })
})
