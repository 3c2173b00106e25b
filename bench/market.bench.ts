/** Markets of the development node: orders against small and large books, reads of the depth, and settlement. */

import { createSigner, defaultPlatform, generateStreamId, NetClient } from '#streamnet/index.ts'
import { operatorToken } from '#test/support/bundle.ts'
import { operateNode, startNode } from '#test/support/gateway-bundle.ts'
import { median, printTable } from './report.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const participants = Number(process.env.BENCH_PARTICIPANTS ?? 1000)
/** Orders on the large book: every wallet bids at each price up to 49 for both outcomes. */
const bookOrders = Number(process.env.BENCH_ORDERS ?? 10_000)
/** Orders of one transaction, so that its signature and its block count little. */
const batch = 200
const deepest = 49

const bundle = await startNode(createSigner(keyOf(0)).address, { STREAMNET_AUTOMATIC_SETTLEMENT: 'false' })
const operate = (method: string, params: object) => operateNode(bundle, operatorToken, method, params)
const settleTime = Math.floor(Date.now() / 1000) + 86_400
const streamId = generateStreamId('market bench')

function keyOf(index: number): string {
  return (0x5000 + index).toString(16).padStart(64, '0')
}

/** A client of a wallet with a million tokens. */
async function trader(index: number): Promise<NetClient> {
  const client = new NetClient(`${bundle.url}/streamnet/node`, keyOf(index), {
    platform: { ...defaultPlatform, log: () => {} },
  })
  for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
    const wallet = createSigner(keyOf(index)).address
    await operate('dev.setBalance', { bridge, wallet, amount: `${10n ** 24n}` })
  }
  return client
}

const maker = await trader(0)
let markets = 0

async function openMarket(): Promise<number> {
  await maker.createPriceAboveThresholdMarket({
    dataProvider: maker.getCurrentAccount(),
    streamId,
    timestamp: settleTime,
    threshold: `${markets + 1}`,
    bridge: 'testnet_b',
    settleTime,
    maxSpread: 5,
    minOrderSize: 1,
  })
  markets += 1
  return markets
}

async function millisecondsOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

/** Fills a book with bids that do not cross, wallet by wallet. */
async function fillBook(market: number, orders: number): Promise<void> {
  for (let left = orders, wallet = 1; left > 0; wallet++) {
    const client = await trader(wallet)
    const calls = Array.from({ length: Math.min(left, 2 * deepest) }, (_, at) => [
      market,
      at % 2 === 0,
      1 + (at >> 1),
      10,
    ])
    await client.execute('place_buy_order', calls, { wait: true })
    left -= calls.length
  }
}

/** Milliseconds of one order that finds no other, by a transaction of many. */
async function placeMs(market: number): Promise<number> {
  const calls = Array.from({ length: batch }, () => [market, true, 50, 1])
  const ms = await millisecondsOf(() => maker.execute('place_buy_order', calls, { wait: true }))
  await maker.cancelOrder({ queryId: market, outcome: true, price: -50 })
  return ms / batch
}

/** Milliseconds of one order that trades with the best bid; the book keeps all its prices. */
async function matchMs(market: number): Promise<number> {
  await maker.placeSplitLimitOrder({ queryId: market, truePrice: 1, amount: batch })
  await maker.placeBuyOrder({ queryId: market, outcome: true, price: 50, amount: batch })
  const calls = Array.from({ length: batch }, () => [market, true, 50, 1])
  return (await millisecondsOf(() => maker.execute('place_sell_order', calls, { wait: true }))) / batch
}

async function measureBook(orders: number) {
  const market = await openMarket()
  await fillBook(market, orders)
  const [place, match, depth]: number[][] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    place?.push(await placeMs(market))
    match?.push(await matchMs(market))
    depth?.push(await millisecondsOf(() => maker.getFullMarketDepth({ queryId: market })))
  }
  return { orders, place: median(place ?? []), match: median(match ?? []), depth: median(depth ?? []) }
}

/** Settles a market of many wallets, each with shares, a sell and a buy; milliseconds of the transaction. */
async function settlementMs(): Promise<number> {
  const market = await openMarket()
  for (let index = 1; index <= participants; index++) {
    const client = await trader(index)
    await client.execute('place_split_limit_order', [[market, 30 + (index % 40), 10]], { wait: false })
    await client.placeBuyOrder({ queryId: market, outcome: true, price: 1 + (index % 20), amount: 5 })
  }
  await maker.deployStream({ streamId })
  await maker.insertRecord({ streamId, record: { date: settleTime - 60, value: '500' } })
  await operate('dev.setNextBlockTimestamp', { timestamp: settleTime })
  await operate('dev.setBalance', {
    bridge: 'hoodi_tt',
    wallet: (await operate('dev.status', {})).operator,
    amount: `${10n ** 21n}`,
  })
  await operate('dev.settleDue', {})
  const settled = () => maker.getMarketInfo({ queryId: market })
  const ms = await millisecondsOf(() => maker.settleMarket({ queryId: market }))
  if (!(await settled()).settled) throw new Error('the market is not settled')
  return ms
}

try {
  const books = [await measureBook(0), await measureBook(1000), await measureBook(bookOrders)]
  const [first] = books
  console.log('Orders in transactions of 200, over HTTP, each in its block on disk before the answer.\n')
  printTable(
    [
      'orders on the book',
      'placed a second',
      'of the empty book',
      'matched a second',
      'of the empty book',
      'depth, ms',
    ],
    books.map(({ orders, place, match, depth }) => [
      String(orders),
      String(Math.round(1000 / place)),
      ((first?.place ?? Number.NaN) / place).toFixed(2),
      String(Math.round(1000 / match)),
      ((first?.match ?? Number.NaN) / match).toFixed(2),
      depth.toFixed(1),
    ]),
  )
  printTable(
    ['settlement', 'ms', 'aim'],
    [[`${participants} participants, three positions each`, (await settlementMs()).toFixed(0), '1000']],
  )
} finally {
  await bundle.stop()
}
