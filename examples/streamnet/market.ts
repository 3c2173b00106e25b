/**
 * A market from creation to pay-out. Publishes a value, asks whether it lies above 110, mints ten pairs of shares, lets
 * them be bought from itself, waits until the market is due, has the answer attested, settles and prints what came back:
 *
 *   market 1: is the value of st... above 110.000000000000000000?
 *   NO at 40 cents: 10 for sale
 *   settled: YES
 *   paid out 9.825 for 10 shares and an eighth of the fees
 *
 * Needs collateral, the fee of a market and that of an attestation; the development node gives them to whoever asks with
 * `dev.setBalance`. With STREAMNET_ADMIN, the operator's port of a development node, its clock is moved instead of waiting.
 *
 * Run: STREAMNET_ENDPOINT=... STREAMNET_PRIVATE_KEY=... node bin/run.mjs examples/streamnet/market.ts [NAME] [SETTLE_TIME]
 * A new key needs the role to create streams: docs/tasks/publish-a-feed.md.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import {
  attest,
  decodeMarketData,
  decodeQueryComponents,
  hashQueryComponents,
  NetClient,
} from '../../src/streamnet/index.ts'

const { STREAMNET_ENDPOINT: endpoint = 'http://127.0.0.1:8484', STREAMNET_PRIVATE_KEY: key } = process.env
const [name = 'example: market', settleText = `${Math.floor(Date.now() / 1000) + 60}`] = process.argv.slice(2)
const settleTime = Number(settleText)

const client = new NetClient(endpoint, key)
const streamId = client.generateStreamId({ name })
const dataProvider = client.getCurrentAccount()
const wallet = { bridgeIdentifier: 'testnet_b', walletAddress: dataProvider }
const locators = [{ streamId, dataProvider }]
const [here] = await client.batchStreamExists({ locators })
if (!here?.exists) await client.deployStream({ streamId })
await client.insertRecord({ streamId, record: { date: settleTime - 30, value: '120' } })

await client.createPriceAboveThresholdMarket({
  dataProvider,
  streamId,
  timestamp: settleTime,
  threshold: '110',
  bridge: 'testnet_b',
  settleTime,
  maxSpread: 5,
  minOrderSize: 1,
})

// The id is not in a transaction's answer: newest first, ours is the one that asks our question.
const market = await findMarket()
const { thresholds } = decodeMarketData(market.queryComponents)
console.log(`market ${market.id}: is the value of ${streamId} above ${thresholds[0]}?`)
if (hashQueryComponents(market.queryComponents).join() !== market.hash.join()) {
  throw new Error('The node has another hash')
}
await client.placeSplitLimitOrder({ queryId: market.id, truePrice: 60, amount: 10 })
for (const { price, sellVolume } of await client.getMarketDepth({ queryId: market.id, outcome: false })) {
  console.log(`NO at ${price} cents: ${sellVolume} for sale`)
}

await waitUntil(settleTime)
const before = BigInt(await client.getWalletBalance(wallet))
const { actionId, args } = decodeQueryComponents(market.queryComponents)
const bytes = Uint8Array.from(args.match(/../g) ?? [], (octet) => Number.parseInt(octet, 16))
await attest(client, { dataProvider, streamId, actionName: actionId, args: bytes })
await client.settleMarket({ queryId: market.id })

const { winningOutcome } = await client.getMarketInfo({ queryId: market.id })
console.log(`settled: ${winningOutcome ? 'YES' : 'NO'}`)
const paid = BigInt(await client.getWalletBalance(wallet)) - before
// The provider of the stream is paid an eighth of the fee of 2 cents a share, and here it is the trader.
console.log(`paid out ${Number(paid / 10n ** 14n) / 10_000} for 10 shares and an eighth of the fees`)

async function findMarket() {
  for await (const { id } of client.iterateMarkets({ settledFilter: 'active' })) {
    const info = await client.getMarketInfo({ queryId: id })
    const { streamId: asked } = decodeMarketData(info.queryComponents)
    if (asked === streamId && Number(info.settleTime) === settleTime) return { ...info, id }
  }
  throw new Error('The node does not list the market')
}

/** Waits until the chain is at a time, or has a development node make its next block then. */
async function waitUntil(time: number): Promise<void> {
  const { STREAMNET_ADMIN: admin } = process.env
  if (admin === undefined) return sleep(Math.max(0, (time + 1) * 1000 - Date.now()))
  const request = { jsonrpc: '2.0', id: 1, method: 'dev.setNextBlockTimestamp', params: { timestamp: time } }
  const headers = { 'content-type': 'application/json' }
  await fetch(`${admin}/rpc/v1`, { method: 'POST', headers, body: JSON.stringify(request) })
}
