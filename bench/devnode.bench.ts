/** The development node: transactions, bulk insertion and composed reads, beside a bare Durable Object call. */

import { Agent, request } from 'undici'
import { BulkInserter, createSigner, defaultPlatform, generateStreamId, NetClient, numeric } from '#streamnet/index.ts'
import { accountIdToJson, transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { encodeCalls } from '#streamnet/transaction/build.ts'
import { signTransaction } from '#streamnet/transaction/sign.ts'
import { startBundle } from '#test/support/bundle.ts'
import { generator } from './load.ts'
import { interleave, median, middle, printTable, ratioText, type Sample } from './report.ts'
import { processorSeconds, questions, startServers } from './servers.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const sizes = [1_000, 10_000, 100_000] as const

const keys = Array.from({ length: 10 }, (_, index) => (0x1000 + index).toString(16).padStart(64, '0'))
const signers = keys.map((key) => createSigner(key))
const writers = signers.map(({ address }) => address)
const servers = await startServers({})
const bundle = await startBundle({
  worker: 'streamnet',
  rebuild: true,
  vars: {
    STREAMNET_DEVELOPMENT: 'true',
    STREAMNET_WRITERS: writers.join(','),
    // The largest read touches more rows than a node allows by default.
    STREAMNET_MAX_READ_ROWS: '200000',
  },
})
const nodePid = bundle.pid
const endpoint = `${bundle.url}/streamnet/node`
const clients = keys.map((key) => new NetClient(endpoint, key, { platform: { ...defaultPlatform, log: () => {} } }))

/** Does something so many times; the processor time is that of a runtime, the node's, for one of them. */
async function sampleOf(count: number, run: () => Promise<unknown>, pid = nodePid): Promise<Sample> {
  const before = processorSeconds(pid)
  const perSecond = count / (await timeOf(run))
  return { perSecond, micros: ((processorSeconds(pid) - before) / count) * 1e6 }
}

async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return (performance.now() - start) / 1000
}

const recordsOf = (turn: number) => Array.from({ length: 10 }, (_, at) => ({ date: turn * 10 + at + 1, value: '1.5' }))

/** Makes a stream for each of so many writers. */
async function deployFor(count: number): Promise<string> {
  const streamId = generateStreamId(`writes ${count} ${Math.round(performance.now())}`)
  await Promise.all(clients.slice(0, count).map((client) => client.deployStream({ streamId })))
  return streamId
}

/** Requests that broadcast a writer's next transactions, signed. */
async function signAhead(writer: number, streamId: string, count: number): Promise<readonly string[]> {
  const [client, signer] = [clients[writer], signers[writer]]
  if (client === undefined || signer === undefined) throw new Error(`there is no writer ${writer}`)
  const { chain_id: chainId } = await client.request('user.chain_info', {})
  const account = await client.request('user.account', { id: accountIdToJson(signer.address), status: 1 })
  const common = { description: '', payloadType: 'execute', chainId, sender: signer.address, fee: 0n }
  const requests: string[] = []
  for (let turn = 0; turn < count; turn++) {
    const dates = recordsOf(turn).map(({ date }) => date)
    const values = numeric(recordsOf(turn).map(({ value }) => value))
    const args = [dates.map(() => signer.address), dates.map(() => streamId), dates, values]
    const unsigned = { ...common, payload: encodeCalls('insert_records', [args]), nonce: account.nonce + turn + 1 }
    const tx = transactionToJson(await signTransaction(unsigned, signer))
    const call = { jsonrpc: '2.0', id: turn + 1, method: 'user.broadcast', params: { tx, sync: 0 } }
    requests.push(JSON.stringify(call))
  }
  return requests
}

const sockets = new Agent({ connections: keys.length })

/** A runtime that takes signed transactions, without the HTTP front. */
interface Receiver {
  readonly url: string
  readonly pid: number
}

const node: Receiver = { url: `${bundle.runtimeUrl}/streamnet/node/rpc/v1`, pid: nodePid }
/** Verifies a signature for each transaction, keeps the same rows in the same turns, and does nothing else. */
const floor: Receiver = { url: `${servers.url('bare')}/ledger/rows`, pid: servers.pid }
/** The same with one row for each turn. */
const logFloor: Receiver = { ...floor, url: `${servers.url('bare')}/ledger/log` }

/** Sends a request without the client. */
async function send({ url }: Receiver, body: string): Promise<void> {
  const response = await request(url, {
    dispatcher: sockets,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const text = await response.body.text()
  if (!text.includes('"result"')) throw new Error(`Cannot broadcast: ${text}`)
}

/** Transactions that were signed before the clock started, each sent when the writer's one before was accepted. */
async function sampleWrites(count: number, perWriter: number, receiver = node): Promise<Sample> {
  const streamId = await deployFor(count)
  const signed = await Promise.all(Array.from({ length: count }, (_, writer) => signAhead(writer, streamId, perWriter)))
  const sendAll = () =>
    Promise.all(
      signed.map(async (requests) => {
        for (const body of requests) await send(receiver, body)
      }),
    )
  return sampleOf(count * perWriter, sendAll, receiver.pid)
}

/** The same with the client, which signs and sends on the cores on which the node verifies. */
async function sampleClientWrites(count: number, perWriter: number): Promise<Sample> {
  const streamId = await deployFor(count)
  return sampleOf(count * perWriter, () =>
    Promise.all(
      clients.slice(0, count).map(async (client) => {
        for (let turn = 0; turn < perWriter; turn++) {
          await client.insertRecords({ streamId, records: recordsOf(turn), wait: false })
        }
      }),
    ),
  )
}

async function sampleBulk(records: number): Promise<Sample> {
  const [client] = clients
  if (client === undefined) throw new Error('there is no client')
  const streamId = generateStreamId(`bulk ${Math.round(performance.now())}`)
  await client.deployStream({ streamId })
  const inputs = Array.from({ length: records }, (_, at) => ({ date: at + 1, value: '2.25' }))
  const inserter = new BulkInserter(client, { progressLogEveryN: 0 })
  return sampleOf(records, () => inserter.insertAll([{ streamId, inputs }]))
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
    client.setTaxonomy({ streamId, childStreams: Object.fromEntries(children.map((child, at) => [child, at + 1])) })
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
    times.push(await timeOf(() => client.getIndex({ streamId: composed.root, dateFrom: 0, dateTo: records * 4 })))
  }
  return 1000 * median(times)
}

function sampleBareCalls(): Promise<Sample> {
  const target = { url: `${servers.url('bare')}/object`, bodies: questions('second', 1) }
  return servers.sample(target, { connections: 1, seconds })
}

/** Signatures whose signer the runtime finds in a second, with nothing else to do. */
async function sampleRecoveries(): Promise<Sample> {
  const each = 50
  const target = { url: `${servers.url('bare')}/recover/${each}`, bodies: questions('second', 1) }
  const { perSecond, micros } = await servers.sample(target, { connections: 1, seconds })
  return { perSecond: each * perSecond, micros: micros / each }
}

try {
  const recovery = 'only recoveries of a signer'
  const ten = 'transactions of ten records, ten writers'
  const least = 'bare object with the same verification and rows, ten writers'
  const leastLog = 'the same with one row for all of a turn'
  const bare = `bare object call, one connection (${generator})`
  const plan: ReadonlyMap<string, () => Promise<Sample>> = new Map([
    [bare, sampleBareCalls],
    [recovery, sampleRecoveries],
    ['transactions of ten records, one writer', () => sampleWrites(1, 100)],
    [ten, () => sampleWrites(10, 20)],
    [least, () => sampleWrites(10, 20, floor)],
    [leastLog, () => sampleWrites(10, 20, logFloor)],
    ['transactions of ten records, ten writers, by the client', () => sampleClientWrites(10, 20)],
    ['records by bulk insertion', () => sampleBulk(1000)],
  ])
  const notes: Readonly<Record<string, string>> = {
    [bare]: 'nothing signed, nothing kept on disk',
    [recovery]: 'in a bare Worker',
    'transactions of ten records, one writer': 'signed before; verified, a block each',
    [ten]: 'the same, side by side; aim 0.85 of the recoveries',
    [leastLog]: 'a ledger in memory with a log',
    [least]: 'what the platform leaves: no actions, nonces, hashes, blocks',
    'transactions of ten records, ten writers, by the client':
      'signed and sent through the HTTP front on the same cores',
    'records by bulk insertion': 'one writer, confirmations included',
  }
  // Once before: the runtime has compiled what is measured, and the writers sign often enough to be known by their keys.
  await sampleWrites(10, 30)
  await sampleWrites(10, 30, floor)
  await sampleWrites(10, 30, logFloor)
  const samples = await interleave(rounds, plan)
  printTable(
    ['what', 'per second', 'of a bare object call', 'of the recoveries', 'processor time, of the recoveries', ''],
    [...plan.keys()].map((name) => [
      name,
      String(Math.round(middle(samples, name, 'perSecond'))),
      (middle(samples, name, 'perSecond') / middle(samples, bare, 'perSecond')).toFixed(3),
      ratioText(samples, name, recovery, 'perSecond'),
      ratioText(samples, name, recovery, 'micros'),
      notes[name] ?? '',
    ]),
  )

  const reads = []
  for (const records of sizes) reads.push({ records, ms: await composedReadMs(records) })
  const first = reads[0]?.ms ?? Number.NaN
  console.log(
    '\n| index of a three-level tree, whole read over HTTP | ms | us per record | per record, of the smallest |',
  )
  console.log('| --- | --- | --- | --- |')
  for (const { records, ms } of reads) {
    const ratio = (ms / records / (first / sizes[0])).toFixed(2)
    console.log(`| ${records} records | ${ms.toFixed(1)} | ${((1000 * ms) / records).toFixed(2)} | ${ratio} |`)
  }
} finally {
  await bundle.stop()
  await servers.stop()
}
