/** The table of costs from measured calls: the metered Worker of `npm run cost`, and what a few decisions use. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MeteredWorker, startMetered } from '#bench/cost/metered.ts'
import { costOf } from '#bench/cost/prices.ts'
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
