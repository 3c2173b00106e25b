/** The development node: transactions, bulk insertion and composed reads, beside a bare Durable Object call. */

import {
  BulkInserter,
  createSigner,
  defaultPlatform,
  generateStreamId,
  NetClient,
  numeric,
} from '../src/streamnet/index.ts'
import { startBundle } from '../test/support/bundle.ts'
import { generator, press } from './load.ts'
import { median } from './report.ts'
import { questions, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const sizes = [1_000, 10_000, 100_000] as const

const keys = Array.from({ length: 10 }, (_, index) => (0x1000 + index).toString(16).padStart(64, '0'))
const writers = keys.map((key) => createSigner(key).address)
const servers = await startServers({})
const bundle = await startBundle({
  worker: 'streamnet',
  rebuild: true,
  vars: { STREAMNET_DEVELOPMENT: 'true', STREAMNET_WRITERS: writers.join(',') },
})
const endpoint = `${bundle.url}/streamnet/node`
const clients = keys.map(
  (key) => new NetClient(endpoint, key, { platform: { ...defaultPlatform, log: () => {} } }),
)

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return (performance.now() - start) / 1000
}

/** Transactions of ten records, each broadcast without waiting for the one before to be read back. */
async function writesPerSecond(count: number, perWriter: number): Promise<number> {
  const used = clients.slice(0, count)
  const streamId = generateStreamId(`writes ${count} ${Math.round(performance.now())}`)
  await Promise.all(used.map((client) => client.deployStream({ streamId })))
  const time = await timeOf(() =>
    Promise.all(
      used.map(async (client) => {
        for (let turn = 0; turn < perWriter; turn++) {
          const records = Array.from({ length: 10 }, (_, at) => ({ date: turn * 10 + at + 1, value: '1.5' }))
          await client.insertRecords({ streamId, records, wait: false })
        }
      }),
    ),
  )
  return (count * perWriter) / time
}

async function bulkRecordsPerSecond(records: number): Promise<number> {
  const [client] = clients
  if (client === undefined) throw new Error('there is no client')
  const streamId = generateStreamId(`bulk ${Math.round(performance.now())}`)
  await client.deployStream({ streamId })
  const inputs = Array.from({ length: records }, (_, at) => ({ date: at + 1, value: '2.25' }))
  const inserter = new BulkInserter(client, { progressLogEveryN: 0 })
  return records / (await timeOf(() => inserter.insertAll([{ streamId, inputs }])))
}

/** A tree of three levels over four primitive streams that share the records, and the time of one whole read. */
async function composedReadMs(records: number): Promise<number> {
  const [client] = clients
  if (client === undefined) throw new Error('there is no client')
  const name = (part: string) => generateStreamId(`tree ${records} ${part}`)
  const leaves = ['a', 'b', 'c', 'd'].map(name)
  const composed = { left: name('left'), right: name('right'), root: name('root') }
  await client.batchDeployStreams({
    definitions: [
      ...leaves.map((streamId) => ({ streamId, streamType: 'primitive' as const })),
      ...Object.values(composed).map((streamId) => ({ streamId, streamType: 'composed' as const })),
    ],
  })
  const taxonomy = (streamId: string, children: readonly string[]) =>
    client.setTaxonomy({
      streamId,
      childStreams: Object.fromEntries(children.map((child, at) => [child, at + 1])),
    })
  await taxonomy(composed.left, leaves.slice(0, 2))
  await taxonomy(composed.right, leaves.slice(2))
  await taxonomy(composed.root, [composed.left, composed.right])
  const each = records / leaves.length
  const provider = client.getCurrentAccount()
  for (const [leaf, streamId] of leaves.entries()) {
    for (let start = 0; start < each; start += 1000) {
      const calls = Array.from({ length: Math.min(1000, each - start) / 10 }, (_, call) => {
        const dates = Array.from({ length: 10 }, (_, at) => (start + call * 10 + at) * 4 + leaf)
        const values = dates.map((date) => `${(date % 97) + 1}.${date % 10}`)
        return [dates.map(() => provider), dates.map(() => streamId), dates, numeric(values)]
      })
      await client.execute('insert_records', calls)
    }
  }
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    times.push(
      await timeOf(() => client.getIndex({ streamId: composed.root, dateFrom: 0, dateTo: records * 4 })),
    )
  }
  return 1000 * median(times)
}

async function bareCallsPerSecond(): Promise<number> {
  const target = { url: `${servers.url('bare')}/object`, bodies: questions('second', 1) }
  return (await press(target, { connections: 1, seconds })).perSecond
}

/** Signatures whose signer the runtime finds in a second, with nothing else to do. */
async function recoveriesPerSecond(): Promise<number> {
  const each = 50
  const target = { url: `${servers.url('bare')}/recover/${each}`, bodies: questions('second', 1) }
  return each * (await press(target, { connections: 1, seconds })).perSecond
}

try {
  const rates = {
    recovery: [] as number[],
    one: [] as number[],
    ten: [] as number[],
    bulk: [] as number[],
    bare: [] as number[],
  }
  for (let round = 0; round < rounds; round++) {
    rates.recovery.push(await recoveriesPerSecond())
    rates.one.push(await writesPerSecond(1, 100))
    rates.ten.push(await writesPerSecond(10, 20))
    rates.bulk.push(await bulkRecordsPerSecond(1000))
    rates.bare.push(await bareCallsPerSecond())
  }
  const bare = median(rates.bare)
  const recovery = median(rates.recovery)
  const row = (what: string, rate: number, note: string) =>
    console.log(
      `| ${what} | ${Math.round(rate)} | ${(rate / bare).toFixed(3)} | ${(rate / recovery).toFixed(2)} | ${note} |`,
    )
  console.log('| what | per second | of a bare object call | of the recoveries | |')
  console.log('| --- | --- | --- | --- | --- |')
  row(`bare object call, one connection (${generator})`, bare, 'nothing signed, nothing kept on disk')
  row('only recoveries of a signer', recovery, 'in a bare Worker')
  row(
    'transactions of ten records, one writer',
    median(rates.one),
    'signed by the client, verified, a block each',
  )
  row(
    'transactions of ten records, ten writers',
    median(rates.ten),
    'the same, side by side; aim 0.85 of the recoveries',
  )
  row('records by bulk insertion', median(rates.bulk), 'one writer, confirmations included')

  const reads = []
  for (const records of sizes) reads.push({ records, ms: await composedReadMs(records) })
  const first = reads[0]?.ms ?? Number.NaN
  console.log(
    '\n| index of a three-level tree, whole read over HTTP | ms | us per record | per record, of the smallest |',
  )
  console.log('| --- | --- | --- | --- |')
  for (const { records, ms } of reads) {
    const ratio = (ms / records / (first / sizes[0])).toFixed(2)
    console.log(
      `| ${records} records | ${ms.toFixed(1)} | ${((1000 * ms) / records).toFixed(2)} | ${ratio} |`,
    )
  }
} finally {
  await bundle.stop()
  await servers.stop()
}
