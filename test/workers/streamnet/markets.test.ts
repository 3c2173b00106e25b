/** Every operation of markets through the gateway and our client against the node, from the question to the pay-out. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeHex } from '#base/hex.ts'
import { markets } from '#streamnet/catalogue/markets.ts'
import { orders } from '#streamnet/catalogue/orders.ts'
import { decodeMarketData, encodeActionArgs, generateStreamId, NetClient, watchMarketEvents } from '#streamnet/index.ts'
import { operatorToken } from '../../support/bundle.ts'
import {
  fullToken,
  gatewayAddress,
  gatewayKey,
  operateNode,
  type RunningGateway,
  startGateway,
} from '../../support/gateway-bundle.ts'

let gateway: RunningGateway
let client: NetClient
const stream_id = generateStreamId('gateway markets')
const hash = /^[0-9a-f]{64}$/
const settle_time = Math.floor(Date.now() / 1000) + 86_400
const market = { query_id: 1 }

/** The operations that these tests have asked for, so that none is forgotten. */
const asked = new Set<string>()
function run(operation: string, params: unknown = {}) {
  asked.add(operation)
  return gateway.run(operation, params)
}

const operate = (method: string, params: object) => operateNode(gateway, operatorToken, method, params)

beforeAll(async () => {
  gateway = await startGateway({
    // Settled by hand below: a job at the wrong moment would come before it.
    vars: { STREAMNET_ADMIN_TOKEN: operatorToken, STREAMNET_AUTOMATIC_SETTLEMENT: 'false' },
  })
  client = new NetClient(`${gateway.url}/streamnet/node`, gatewayKey)
  for (const bridge of ['hoodi_tt', 'hoodi_tt2']) {
    await operate('dev.setBalance', { bridge, wallet: gatewayAddress, amount: `${10n ** 22n}` })
  }
  await gateway.run('deploy_stream', { stream_id })
  const record = { date: settle_time - 60, value: '45' }
  await gateway.run('insert_record', { stream_id, record })
})
afterAll(async () => {
  await gateway?.stop()
})

const question = { data_provider: gatewayAddress, stream_id, timestamp: settle_time, settle_time }
const terms = { ...question, bridge: 'testnet_b', max_spread: 5, min_order_size: 1 }

describe('questions', () => {
  it('create_* of every kind, create_market, and reads of each', async () => {
    expect(await run('create_price_above_threshold_market', { ...terms, threshold: '40' })).toMatch(hash)
    await run('create_price_below_threshold_market', { ...terms, threshold: '40' })
    await run('create_value_in_range_market', { ...terms, min_value: '40', max_value: '50' })
    await run('create_value_equals_market', { ...terms, target: '45', tolerance: '1' })
    const info = await run('get_market_info', market)
    expect(info).toMatchObject({ id: 1, bridge: 'hoodi_tt2', settle_time, settled: false, winning_outcome: null })
    const { query_components } = info
    expect(await run('decode_market_data', { query_components })).toMatchObject({ type: 'above', stream_id })
    const parts = await run('decode_query_components', { query_components })
    expect(parts.action_id).toBe('price_above_threshold')
    expect(await run('hash_query_components', { query_components })).toBe(info.hash)
    expect(await run('encode_action_args', { args: [1, null] })).toBe(`0x${encodeHex(encodeActionArgs([1, null]))}`)
    const components = { data_provider: gatewayAddress, stream_id, action_id: parts.action_id, args: `0x${parts.args}` }
    expect(await run('encode_query_components', components)).toBe(query_components)
    expect(await run('market_exists', { hash: info.hash })).toBe(true)
    expect(await run('get_market_by_hash', { hash: info.hash })).toMatchObject({ id: 1, settled: false })
    const listed = await run('list_markets', { settled_filter: 'active' })
    expect(listed.map(({ id }: { id: number }) => id)).toEqual([4, 3, 2, 1])
    const again = await gateway.call('/create_market', {
      bridge: 'testnet_b',
      query_components,
      settle_time,
      max_spread: 5,
      min_order_size: 1,
    })
    asked.add('create_market')
    expect(again.status).toBe(422)
    expect(again.body.data.log).toBe('ERROR: Market already exists with this query hash (query_id: 1)')
  })
})

describe('orders', () => {
  it('split, sell, buy, change and cancel leave the book that they should', async () => {
    await run('place_split_limit_order', { ...market, true_price: 60, amount: 100 })
    await run('place_sell_order', { ...market, outcome: true, price: 65, amount: 40 })
    await run('place_buy_order', { ...market, outcome: true, price: 50, amount: 30 })
    await run('change_bid', { ...market, outcome: true, old_price: -50, new_price: -55, new_amount: 20 })
    await run('change_ask', { ...market, outcome: true, old_price: 65, new_price: 64, new_amount: 50 })
    await run('place_buy_order', { ...market, outcome: false, price: 20, amount: 5 })
    await run('cancel_order', { ...market, outcome: false, price: -20 })
    const yes = { ...market, outcome: true }
    const book = await run('get_order_book', yes)
    expect(book.map(({ price, amount }: Record<string, number>) => [price, amount])).toEqual([
      [-55, 20],
      [64, 50],
    ])
    expect(await run('get_market_depth', yes)).toEqual([
      { price: 55, buy_volume: 20, sell_volume: 0, total_amount: 20 },
      { price: 64, buy_volume: 0, sell_volume: 50, total_amount: 50 },
    ])
    expect(await run('get_full_market_depth', market)).toHaveLength(3)
    expect(await run('get_consolidated_order_book', yes)).toMatchObject({
      query_id: 1,
      outcome: true,
      is_crossed: false,
    })
    expect(await run('get_best_prices', yes)).toEqual({ best_bid: 55, best_ask: 64, spread: 9 })
    const positions = await run('get_user_positions')
    expect(await run('get_positions_by_wallet', { wallet: gatewayAddress })).toEqual(positions)
    expect(positions).toHaveLength(4)
    const bridge = 'hoodi_tt2'
    const collateral = await run('get_user_collateral', { bridge })
    expect(collateral.buy_orders_locked).toBe('11000000000000000000')
    expect(await run('get_collateral_by_wallet', { bridge, wallet: gatewayAddress })).toEqual(collateral)
    const events = await run('get_order_events_by_wallet', { wallet: gatewayAddress })
    expect(events.at(-1)).toMatchObject({ event_type: 'cancelled', price: 20 })
    expect(await run('validate_market_collateral', market)).toMatchObject({
      valid_token_binaries: true,
      valid_collateral: true,
      total_true: 100,
      open_buys_value: 1100,
    })
    expect(await client.getBestPrices({ queryId: 1, outcome: true })).toMatchObject({ bestBid: 55, bestAsk: 64 })
  })

  it('a refusal is 422 with the words of the network', async () => {
    const { status, body } = await gateway.call('/place_sell_order', {
      ...market,
      outcome: false,
      price: 50,
      amount: 7,
    })
    expect(status).toBe(422)
    expect(body.data.log).toBe('ERROR: No shares found. You must own shares of the specified outcome before selling.')
  })
})

describe('forecast', () => {
  it('get_market_forecast reads the value that two buckets imply', async () => {
    await run('place_buy_order', { query_id: 2, outcome: true, price: 30, amount: 50 })
    const forecast = await run('get_market_forecast', { query_ids: [1, 2] })
    expect(forecast).toMatchObject({ value: 40, value_basis: 'interior', method: 'discrete', p10: null, n_peaks: 1 })
    expect(forecast.buckets).toMatchObject([
      { query_id: 2, lower: null, upper: 40, one_sided: true },
      { query_id: 1, lower: 40, upper: null, one_sided: false, raw_probability: 0.62 },
    ])
    const found = await client.getMarketForecast({ queryIds: [2, 1] })
    expect(found).toMatchObject({ value: forecast.value, marginOfError: forecast.margin_of_error })
    await run('cancel_order', { query_id: 2, outcome: true, price: -30 })
    const once = await gateway.call('/get_market_forecast', { query_ids: [1] })
    expect(once.status).toBe(400)
    expect(once.body.detail).toContain('a market forecast needs at least 2 bucket query_ids, got 1')
  })
})

describe('settlement', () => {
  it('an attestation settles the market and pays out, and the event stream of the market tells it', async () => {
    const watched = { gateway: `${gateway.url}/streamnet/v1`, token: fullToken, queryId: 1 }
    const states = watchMarketEvents(client, watched)
    const first = await states.next()
    expect(first.value).toEqual({
      info: await client.getMarketInfo({ queryId: 1 }),
      depth: await client.getFullMarketDepth({ queryId: 1 }),
    })
    const early = await gateway.call('/settle_market', market)
    expect(early.body.data.log).toMatch(/^ERROR: Settlement time not yet reached/)
    await operate('dev.setNextBlockTimestamp', { timestamp: settle_time })
    const { queryComponents } = await client.getMarketInfo({ queryId: 1 })
    const { args, action_id } = await run('decode_query_components', {
      query_components: Buffer.from(queryComponents).toString('base64'),
    })
    expect(decodeMarketData(queryComponents).type).toBe('above')
    await client.requestAttestation({
      dataProvider: gatewayAddress,
      streamId: stream_id,
      actionName: action_id,
      args: new Uint8Array(Buffer.from(args, 'hex')),
    })
    await run('settle_market', market)
    expect(await run('get_market_info', market)).toMatchObject({ settled: true, winning_outcome: true })
    let last = first.value
    for await (const state of states) last = state
    expect(last).toMatchObject({ info: { settled: true, winningOutcome: true }, depth: [] })
    expect(await run('get_user_positions')).toEqual([])
    const summary = await run('get_distribution_summary', market)
    expect(summary).toMatchObject({ total_dp_fees: '250000000000000000', total_lp_count: 0 })
    const { distribution_id } = summary
    expect(await run('get_distribution_details', { distribution_id })).toHaveLength(2)
    const history = await run('get_participant_reward_history', { wallet: gatewayAddress })
    expect(history[0]).toMatchObject({ query_id: 1, reward_amount: '250000000000000000' })
  })
})

it('no operation of markets is left out', () => {
  const group = [...markets, ...orders].map(({ name }) => name)
  // The network refuses it as private (`agents.test.ts`).
  expect(group.filter((name) => !asked.has(name))).toEqual(['sample_lp_rewards'])
})
