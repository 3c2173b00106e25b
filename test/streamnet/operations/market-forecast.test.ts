import { expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import {
  encodeActionArgs,
  encodeMarketQuestion,
  encodeQueryComponents,
  type MarketAction,
} from '#streamnet/market-question.ts'
import { getMarketForecast } from '#streamnet/operations/market-forecast.ts'
import { keys } from '../../support/devnode.ts'
import { connectClient, publishValue, startMarketNode } from '../../support/markets.ts'

const owner = keys.owner.address
const question = { dataProvider: owner, streamId: generateStreamId('market-test'), timestamp: 1_760_000_100 }

/** A node on which markets are opened: each gives its id. */
function startEvent() {
  const node = startMarketNode()
  publishValue(node, '5')
  const openComponents = (components: Uint8Array, { bridge = 'hoodi_tt2', settleTime = 1_760_001_000 } = {}) => {
    node.must(keys.owner, 'create_market', bridge, components, settleTime, 5, 1)
    return Number(node.view('list_markets', [null, 1, 0])[0]?.[0])
  }
  const open = (action: MarketAction, thresholds: readonly string[], other = {}, terms = {}) =>
    openComponents(encodeMarketQuestion(action, { ...question, ...other }, thresholds), terms)
  const below = open('price_below_threshold', ['4'])
  const within = open('value_in_range', ['4', '6'])
  const above = open('price_above_threshold', ['6'])
  return { node, open, openComponents, client: connectClient(node), below, within, above }
}

test('getMarketForecast() reads buckets in any order, with the orders for NO', async () => {
  const { node, client, below, within, above } = startEvent()
  node.must(keys.owner, 'place_buy_order', below, true, 19, 100)
  node.must(keys.owner, 'place_buy_order', below, false, 79, 100)
  node.must(keys.owner, 'place_buy_order', within, true, 59, 100)
  node.must(keys.owner, 'place_buy_order', within, false, 39, 100)
  node.must(keys.owner, 'place_buy_order', above, true, 19, 100)
  node.must(keys.owner, 'place_buy_order', above, false, 79, 100)
  const forecast = await getMarketForecast(client, { queryIds: [above, below, within] })
  expect(forecast).toMatchObject({ value: 5, method: 'rank' })
  expect(forecast?.buckets).toMatchObject([
    { queryId: below, lower: null, upper: 4, probability: 0.2, oneSided: false },
    { queryId: within, lower: 4, upper: 6, rawProbability: 0.6, confidence: 0.98 },
    { queryId: above, lower: 6, upper: null, probability: 0.2, quoted: true },
  ])
  const apart = await getMarketForecast(client, { queryIds: [within, above] })
  expect(apart?.warnings[0]).toBe('lowest bucket is not open below')
  const gap = await getMarketForecast(client, { queryIds: [below, above] })
  expect(gap?.warnings[0]).toBe('1 gap(s) or overlap(s) between bucket bounds')
})

test('getMarketForecast() is null without orders', async () => {
  const { client, below, within } = startEvent()
  expect(await getMarketForecast(client, { queryIds: [below, within] })).toBeNull()
})

test.each([
  [[1], 'needs at least 2 bucket query_ids, got 1'],
  [[1, 2, 2, 1], 'duplicate bucket query_ids 1, 2; a repeated bucket would have its probability counted twice'],
  [Array.from({ length: 101 }, (_, at) => at + 1), 'takes at most 100 bucket query_ids, got 101'],
  [[0, 1], 'query_id must be a positive integer, got 0'],
])('getMarketForecast() refuses %j before it reads', async (queryIds, message) => {
  const client = connectClient(startMarketNode())
  await expect(getMarketForecast(client, { queryIds })).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining(message),
  })
})

test('getMarketForecast() refuses markets of two events', async () => {
  const { client, open, below } = startEvent()
  const others = [
    open('price_above_threshold', ['4'], { timestamp: question.timestamp + 1 }),
    open('price_above_threshold', ['4'], { frozenAt: 7 }),
    open('price_above_threshold', ['4'], {}, { settleTime: 1_760_001_001 }),
    open('price_above_threshold', ['5'], {}, { bridge: 'ethereum_bridge' }),
  ]
  for (const other of others) {
    await expect(getMarketForecast(client, { queryIds: [below, other] })).rejects.toThrow(
      `market ${other} belongs to a different event than the first bucket`,
    )
  }
})

test('getMarketForecast() refuses a question without a time, and an action without bounds', async () => {
  const { client, openComponents, below } = startEvent()
  const cut = encodeActionArgs([owner, question.streamId, question.timestamp, numeric('4')])
  const parts = { dataProvider: owner, streamId: question.streamId }
  const queryComponents = encodeQueryComponents({ ...parts, actionId: 'price_above_threshold', args: cut })
  const untimed = openComponents(queryComponents)
  await expect(getMarketForecast(client, { queryIds: [untimed, below] })).rejects.toThrow(
    `market ${untimed} carries no readable query timestamp`,
  )
  const args = encodeActionArgs([owner, question.streamId, 1, 2])
  const [first, second] = ['get_record', 'get_index'].map((actionId) =>
    openComponents(encodeQueryComponents({ ...parts, actionId, args })),
  )
  await expect(getMarketForecast(client, { queryIds: [first ?? 0, second ?? 0] })).rejects.toThrow(
    "cannot derive bucket bounds from a 'unknown' market",
  )
})
