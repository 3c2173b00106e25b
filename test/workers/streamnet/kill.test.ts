/** A bulk insertion into a node that is killed five times on the way. */

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundlePath, bundleWorkers } from '#bin/bundle-workers.ts'
import {
  BulkInsertError,
  BulkInserter,
  createSigner,
  defaultPlatform,
  generateStreamId,
  isStreamNetError,
  NetClient,
} from '#streamnet/index.ts'
import { makeFolder } from '../../support/folder.ts'
import { startWorkerd, type Workerd } from '../../support/workerd.ts'

const records = 5000
const kills = 5
/** Enough for all kills before the last record is in. */
const requestsPerLife = 90
const key = '1'.padStart(64, '0')
const streamId = generateStreamId('killed five times')

const folder = makeFolder()
let node: Workerd
/** Settles when the node has been started again. */
let up: Promise<unknown> = Promise.resolve()

const start = () =>
  startWorkerd({
    script: bundlePath('streamnet'),
    objects: { NODE: 'NodeObject' },
    vars: { STREAMNET_DEVELOPMENT: 'true', STREAMNET_WRITERS: createSigner(key).address },
    folder,
  })

beforeAll(async () => {
  await bundleWorkers(['streamnet'])
  node = await start()
})
afterAll(() => node.kill())

/** Kills the node in the middle of what it is doing, and starts it again. */
async function restart() {
  await sleep(3)
  await node.kill()
  node = await start()
}

let requests = 0
let killed = 0

/** A client that finds the node wherever it is started again; what is on its way when it is killed is lost. */
function newClient() {
  return new NetClient('http://node.test/streamnet/node', key, {
    platform: {
      ...defaultPlatform,
      async fetch(url, init) {
        await up
        requests += 1
        if (requests % requestsPerLife === 0 && killed < kills) {
          killed += 1
          up = restart()
        }
        return fetch(url.replace('http://node.test', node.url), init)
      },
    },
  })
}

/** Tells whether the transaction whose answer was lost is on the chain all the same. */
async function hasLanded(client: NetClient, error: BulkInsertError): Promise<boolean> {
  if (!isStreamNetError(error.cause, 'connection_lost') || error.cause.data.hash === undefined) return false
  return client.request('user.tx_query', { tx_hash: error.cause.data.hash }).then(
    () => true,
    () => false,
  )
}

/** Inserts everything, and goes on where the description says after each failure: at most one a kill. */
async function insertAll(client: NetClient, inputs: readonly { date: number; value: string }[]) {
  const inserter = new BulkInserter(client, { maxInflight: 40, progressLogEveryN: 0 })
  let done = 0
  for (let life = 0; life <= kills && done < inputs.length; life++) {
    try {
      await inserter.insertAll([{ streamId, inputs: inputs.slice(done) }])
      return
    } catch (error) {
      if (!(error instanceof BulkInsertError)) throw error
      await up
      done += 10 * (error.failedChunkIndex + ((await hasLanded(client, error)) ? 1 : 0))
    }
  }
  if (done < inputs.length) throw new Error(`the insertion stopped after ${done} records`)
}

it('ends complete and without a duplicate, with every transaction that the node has acknowledged', async () => {
  const client = newClient()
  await client.deployStream({ streamId })
  const inputs = Array.from({ length: records }, (_, index) => ({ date: index + 1, value: `${index + 1}.5` }))
  await insertAll(client, inputs)
  expect(killed).toBe(kills)

  const rows = await client.getRecords({ streamId, dateFrom: 1, dateTo: records })
  expect(rows.map(({ date, value }) => [Number(date), Number(value)])).toEqual(
    inputs.map(({ date, value }) => [date, Number(value)]),
  )
  const methods = []
  const wallet = client.getCurrentAccount()
  for await (const { method } of client.iterateTransactionFees({ wallet, mode: 'paid' })) methods.push(method)
  expect(methods.filter((method) => method === 'insertRecords')).toHaveLength(records / 10)
})
