/** Bulk insertion through a loopback node that checks every signature, with writes one after the other beside it. */

import { BulkInserter, createClient, createSigner } from '../src/streamnet/index.ts'
import { insertRecords } from '../src/streamnet/operations/records.ts'
import { createLoopbackNode } from '../test/support/loopback-node.ts'
import { interleave, middle, printTable, ratioText, type Sample } from './report.ts'

const streamId = `st${'0'.repeat(30)}`
const count = 400
const inputs = Array.from({ length: count }, (_, date) => ({ date, value: `${date}.25` }))

/** A client of a fresh node whose every answer takes a while, as over a network, and whose blocks take longer. */
function connect(latencyMs: number) {
  const node = createLoopbackNode()
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const world = {
    ...node.world,
    now: () => performance.now(),
    async fetch(url: string, init: RequestInit) {
      await pause(latencyMs)
      return node.world.fetch(url, init)
    },
  }
  return {
    node,
    client: createClient({ endpoint: node.endpoint, world, signer: createSigner('11'.repeat(32)) }),
  }
}

async function measure(
  latencyMs: number,
  insert: (client: ReturnType<typeof connect>['client']) => Promise<unknown>,
): Promise<Sample> {
  const { client } = connect(latencyMs)
  const start = performance.now()
  await insert(client)
  const perSecond = (count / (performance.now() - start)) * 1000
  return { perSecond, micros: 1e6 / perSecond }
}

const chunks = Array.from({ length: count / 10 }, (_, index) => inputs.slice(index * 10, index * 10 + 10))
const bulk = (client: ReturnType<typeof connect>['client']) =>
  new BulkInserter(client, { progressLogEveryN: 0 }).insertAll([{ streamId, inputs }])
const oneByOne = async (client: ReturnType<typeof connect>['client']) => {
  for (const records of chunks) await insertRecords(client, { streamId, records })
}

const rows: string[][] = []
for (const latencyMs of [1, 10]) {
  const base = `insertRecords, ten a time, ${latencyMs} ms away`
  const name = `BulkInserter, ${latencyMs} ms away`
  const measurements = new Map<string, () => Promise<Sample>>([
    [base, () => measure(latencyMs, oneByOne)],
    [name, () => measure(latencyMs, bulk)],
  ])
  const samples = await interleave(5, measurements)
  for (const one of measurements.keys()) {
    rows.push([one, middle(samples, one, 'perSecond').toFixed(0), ratioText(samples, one, base, 'perSecond')])
  }
}
printTable(['', 'records a second', 'of one by one'], rows)
