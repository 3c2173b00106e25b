/**
 * Bulk insertion beside clients that write one transaction after the other, through a loopback node that checks every
 * signature and makes a block a second. Waits are not sat through: the clock is put forward when nothing is left to do.
 */

import { BulkInserter, type Client, createClient, createSigner, type TxHash } from '#streamnet/index.ts'
import { insertRecords } from '#streamnet/operations/record-insertion.ts'
import { waitForSuccess } from '#streamnet/transaction/wait.ts'
import { createLoopbackNode } from '#test/support/loopback-node.ts'
import { interleave, middle, printTable, ratioText, type Sample } from './report.ts'

const streamId = `st${'0'.repeat(30)}`
const count = 1000
const inputs = Array.from({ length: count }, (_, date) => ({ date, value: `${date}.25` }))
const chunks = Array.from({ length: count / 10 }, (_, index) => inputs.slice(index * 10, index * 10 + 10))

// A node of the network makes the next block a second after one with transactions.
const blockMs = 1000

/** A clock that runs with the processor and, once everything there is waits, jumps to the end of the next wait. */
function createClock() {
  const waiting: { readonly end: number; readonly wake: () => void }[] = []
  let skipped = 0
  const now = () => performance.now() + skipped
  // An immediate runs when all that could go on has gone on.
  const jump = () => {
    waiting.sort((left, right) => left.end - right.end)
    const next = waiting.shift()
    if (next === undefined) return
    skipped += Math.max(0, next.end - now())
    next.wake()
    if (waiting.length > 0) setImmediate(jump)
  }
  const pause = (ms: number) =>
    new Promise<void>((wake) => {
      waiting.push({ end: now() + ms, wake })
      if (waiting.length === 1) setImmediate(jump)
    })
  return { now, pause }
}

/** A client of a fresh node that is a while away and puts what it accepted in the next block. */
function connect(latencyMs: number) {
  const node = createLoopbackNode()
  const { now, pause } = createClock()
  const minedAt = new Map<string, number>()
  const fetch = async (url: string, init: RequestInit) => {
    await pause(latencyMs)
    const { method, id, params } = JSON.parse(String(init.body))
    if (method === 'user.tx_query' && now() < (minedAt.get(params.tx_hash) ?? 0)) {
      return Response.json({ jsonrpc: '2.0', id, result: { tx_hash: params.tx_hash, height: -1 } })
    }
    const response = await node.platform.fetch(url, init)
    for (const hash of node.included.keys()) {
      if (!minedAt.has(hash)) minedAt.set(hash, Math.ceil(now() / blockMs) * blockMs)
    }
    return response
  }
  const platform = { ...node.platform, now, sleep: pause, fetch }
  return { now, client: createClient({ endpoint: node.endpoint, platform, signer: createSigner('11'.repeat(32)) }) }
}

type Insert = (client: Client) => Promise<unknown>

async function measure(latencyMs: number, insert: Insert): Promise<Sample> {
  const { client, now } = connect(latencyMs)
  const start = now()
  await insert(client)
  const perSecond = (count / (now() - start)) * 1000
  return { perSecond, micros: 1e6 / perSecond }
}

const oneByOne: Insert = async (client) => {
  for (const records of chunks) await insertRecords(client, { streamId, records })
}
const allThenAsk: Insert = async (client) => {
  const hashes: TxHash[] = []
  for (const records of chunks) hashes.push(await insertRecords(client, { streamId, records, wait: false }))
  for (const hash of hashes) await waitForSuccess(client, hash)
}
const bulk: Insert = (client) => new BulkInserter(client, { progressLogEveryN: 0 }).insertAll([{ streamId, inputs }])

const rows: string[][] = []
for (const latencyMs of [5, 50]) {
  const base = `insertRecords, each waited for, ${latencyMs} ms away`
  const measurements = new Map<string, () => Promise<Sample>>([
    [base, () => measure(latencyMs, oneByOne)],
    [`insertRecords, all sent, then each asked for, ${latencyMs} ms away`, () => measure(latencyMs, allThenAsk)],
    [`BulkInserter, ${latencyMs} ms away`, () => measure(latencyMs, bulk)],
  ])
  const samples = await interleave(5, measurements)
  for (const one of measurements.keys()) {
    rows.push([one, middle(samples, one, 'perSecond').toFixed(0), ratioText(samples, one, base, 'perSecond')])
  }
}
printTable([`${count} records, ten a transaction, a block a second`, 'records a second', 'of each waited for'], rows)
