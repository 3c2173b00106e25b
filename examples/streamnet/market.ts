/**
 * Asks a question of a stream, opens a market for it, mints ten pairs of shares and prints the book:
 *
 *   market 1: is the value of st... above 110.000000000000000000?
 *   NO at 40 cents: 10 for sale
 *
 * Needs collateral and the creation fee; the development node gives both to whoever asks with `dev.setBalance`.
 *
 * Run: STREAMNET_ENDPOINT=... STREAMNET_PRIVATE_KEY=... node bin/run.mjs examples/streamnet/market.ts [NAME]
 */

import {
  decodeMarketData,
  hashQueryComponents,
  isStreamNetError,
  NetClient,
} from '../../src/streamnet/index.ts'

const { STREAMNET_ENDPOINT: endpoint = 'http://127.0.0.1:8484', STREAMNET_PRIVATE_KEY: key } = process.env
const [name = 'example: market', settleTime = `${Math.floor(Date.now() / 1000) + 86_400}`] =
  process.argv.slice(2)

const client = new NetClient(endpoint, key)
// A node without markets says so before anything is paid.
await client.listMarkets({ limit: 1 }).catch((error: unknown) => {
  if (!isStreamNetError(error, 'rpc_error') || !/unknown action/.test(error.message)) throw error
  console.error(`Cannot open a market: ${endpoint} has no prediction markets, expected a node of the network`)
  process.exit(1)
})

const streamId = client.generateStreamId({ name })
const question = { dataProvider: client.getCurrentAccount(), streamId, timestamp: Number(settleTime) }
await client.createPriceAboveThresholdMarket({
  ...question,
  threshold: '110',
  bridge: 'testnet_b',
  settleTime: Number(settleTime),
  maxSpread: 5,
  minOrderSize: 1,
})

// The id is not in a transaction's answer: newest first, ours is the one that asks our question.
for await (const { id } of client.iterateMarkets({ settledFilter: 'active' })) {
  const { queryComponents, hash } = await client.getMarketInfo({ queryId: id })
  const { streamId: asked, thresholds } = decodeMarketData(queryComponents)
  if (asked !== streamId) continue
  console.log(`market ${id}: is the value of ${asked} above ${thresholds[0]}?`)
  if (hashQueryComponents(queryComponents).join() !== hash.join())
    throw new Error('The node has another hash')
  await client.placeSplitLimitOrder({ queryId: id, truePrice: 60, amount: 10 })
  for (const { price, sellVolume } of await client.getMarketDepth({ queryId: id, outcome: false })) {
    console.log(`NO at ${price} cents: ${sellVolume} for sale`)
  }
  break
}
