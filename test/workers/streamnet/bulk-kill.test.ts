/** A bulk insertion of 5,000 records while the process with node and gateway is killed and started again five times. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundlePath, bundleWorkers } from '#bin/bundle-workers.ts'
import { generateStreamId, NetClient } from '#streamnet/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { gatewayAddress, gatewayCaller, gatewayVars } from '../../support/gateway-bundle.ts'
import { startWorkerd, type Workerd } from '../../support/workerd.ts'

const records = 5000
const chunks = records / 10
const kills = 5
const streamIds = ['one', 'two'].map((name) => generateStreamId(`killed in bulk ${name}`))

const folder = makeFolder()
let server: Workerd

const start = () =>
  startWorkerd({
    script: bundlePath('streamnet'),
    objects: { NODE: 'NodeObject', SIGNER: 'SignerObject', STREAM_WATCH: 'StreamWatchObject' },
    vars: gatewayVars,
    folder,
  })

beforeAll(async () => {
  await bundleWorkers(['streamnet'])
  server = await start()
})
afterAll(() => server?.kill())

/** The node's height, asked of the node: nothing of the gateway is woken by it. */
async function height(): Promise<number> {
  const node = new NetClient(`${server.url}/streamnet/node`)
  return (await node.request('user.chain_info', {})).block_height
}

it('a job that is killed five times ends complete, without a duplicate and without a manual step', async () => {
  const call = gatewayCaller(server.url)
  const definitions = streamIds.map((stream_id) => ({ stream_id, stream_type: 'primitive' }))
  expect(await call('/batch_deploy_streams', { definitions })).toMatchObject({ status: 200 })
  const input = (index: number) => ({ date: 86_400 * (index + 1), value: `${index + 1}.25` })
  const half = Array.from({ length: records / 2 }, (_, index) => input(index))
  const before = await height()
  const batches = streamIds.map((stream_id) => ({ stream_id, inputs: half }))
  const started = await call('/insert_all', { batches, max_inflight: 40 })
  expect(started).toMatchObject({ status: 202, body: { result: { rows_total: records, chunks_total: chunks } } })

  const survived: number[] = []
  for (let killed = 0; killed < kills; killed++) {
    const goal = before + Math.floor((chunks * (killed + 1)) / (kills + 1))
    // The node makes one block of every transaction.
    await expect.poll(height).toBeGreaterThanOrEqual(goal)
    await sleep(killed * 3)
    await server.kill()
    server = await start()
    survived.push((await height()) - before)
  }
  expect(survived.every((blocks) => blocks > 0 && blocks < chunks)).toBe(true)

  // Nothing but the node is asked until all blocks are there: the job goes on by its own alarm.
  await expect.poll(height).toBeGreaterThanOrEqual(before + chunks)
  const job = async () => (await gatewayCaller(server.url)(`/jobs/${started.body.result.job_id}`)).body.result
  await expect.poll(async () => (await job()).phase).not.toBe('running')
  expect(await job()).toMatchObject({
    phase: 'done',
    rows_done: records,
    chunks_done: chunks,
    chunks_confirmed: chunks,
    problem: null,
  })

  // One block a chunk and no more: nothing was inserted twice.
  expect(await height()).toBe(before + chunks)
  const { body } = await gatewayCaller(server.url)(`/jobs/${started.body.result.job_id}/tx_hashes?limit=10000`)
  expect(new Set(body.result).size).toBe(chunks)
  const client = new NetClient(`${server.url}/streamnet/node`)
  for (const streamId of streamIds) {
    const read = await client.getRecords({
      streamId,
      dataProvider: gatewayAddress,
      dateFrom: 0,
      dateTo: 86_400 * records,
    })
    expect(read).toEqual(half.map(({ date, value }) => ({ date, value: `${value}0000000000000000` })))
  }
})
