/** Settlement, pay-out, fees and liquidity rewards; and that no sequence of orders makes or loses collateral. */

import { describe, expect, test } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { computeSpread } from '#devnode/markets/sampling.ts'
import { decodeQueryComponents } from '#streamnet/market-data.ts'
import { keys, type TestNode } from '../../support/devnode.ts'
import {
  balanceOf,
  openMarket,
  positionsOf,
  publishValue,
  questionOf,
  startMarketNode,
  token,
  trader,
} from '../../support/markets.ts'
import vectors from '../../vectors/streams-vectors.json' with { type: 'json' }

const settleTime = 1_760_001_000

/** Asks for the attestation of a market and goes to the time of its settlement. */
function attest(node: TestNode, threshold = 40): void {
  node.rpc('dev.setNextBlockTimestamp', { timestamp: settleTime })
  const { dataProvider, streamId, actionId, args } = decodeQueryComponents(questionOf(threshold))
  const request = [dataProvider, streamId, actionId, decodeHex(args), false, null]
  node.must(keys.owner, 'request_attestation', ...request)
}

const settle = (node: TestNode, market: number) => node.execute(keys.owner, 'settle_market', [market])

describe('settleMarket', () => {
  test('order_book/settle_pays_98_percent: of a pair, 98 cents for YES, and the open sell of NO is worth nothing', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    publishValue(node, '50')
    node.must(trader('A'), 'place_split_limit_order', market, 60, 100)
    node.must(trader('A'), 'place_buy_order', market, false, 30, 10)
    expect(balanceOf(node, 'A')).toBe(1_000_000 - 103)
    attest(node)
    expect(settle(node, market).code).toBe(0)
    const vector = vectors.vectors.find(({ id }) => id === 'order_book/settle_pays_98_percent')
    expect(vector?.expected).toMatchObject({ A_net_change: '-2', positions_left: 0 })
    expect(balanceOf(node, 'A')).toBe(1_000_000 - 2)
    expect(positionsOf(node, 'A')).toEqual({})
    expect(node.view('get_market_info', [market])[0]?.slice(4, 7)).toEqual([true, true, BigInt(settleTime)])
    expect(node.view('list_markets', [true, null, null])).toHaveLength(1)
    expect(node.view('get_active_markets_for_sampling', [null])).toEqual([])
  })

  test('says why it cannot, and changes nothing', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    publishValue(node, '50')
    node.must(trader('A'), 'place_split_limit_order', market, 60, 100)
    const refusal = (id: number | null) => node.execute(keys.owner, 'settle_market', [id]).log
    expect(refusal(null)).toBe('ERROR: ')
    expect(refusal(0)).toBe('ERROR: Invalid query_id')
    expect(refusal(9)).toBe('ERROR: Market not found for query_id: 9')
    expect(refusal(market)).toMatch(
      /^ERROR: Settlement time not yet reached\. settle_time: 1760001000, current time: \d+$/,
    )
    node.rpc('dev.setNextBlockTimestamp', { timestamp: settleTime })
    expect(refusal(market)).toBe(
      'ERROR: Attestation not found for market hash. Market cannot be settled without attestation.',
    )
    node.rpc('dev.failNext', { error: 'signature_lost' })
    attest(node)
    expect(refusal(market)).toBe('ERROR: Attestation not yet signed by validator. Please wait for signing to complete.')
    expect(positionsOf(node, 'A')).toEqual({ 'YES 0': 100, 'NO 40': 100 })
  })

  test('an attestation from before its time settles nothing; one from after does', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node, 40, settleTime)
    publishValue(node, '50')
    node.rpc('dev.setNextBlockTimestamp', { timestamp: 1_760_000_060 })
    const { dataProvider, streamId, actionId, args } = decodeQueryComponents(questionOf(40))
    const request = [dataProvider, streamId, actionId, decodeHex(args), false, null]
    node.must(keys.owner, 'request_attestation', ...request)
    node.rpc('dev.setNextBlockTimestamp', { timestamp: settleTime })
    expect(settle(node, market).log).toBe('ERROR: binary action result must be 32 bytes (abi-encoded bool), got 128')
    node.must(keys.owner, 'request_attestation', ...request)
    expect(settle(node, market).code).toBe(0)
    expect(settle(node, market).log).toBe('ERROR: Market has already been settled')
  })
})

describe('distributeFees', () => {
  test('order_book/fee_split_10_tokens: an eighth each for provider and validator, the rest waits for samples', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    publishValue(node, '50')
    node.must(trader('A'), 'place_split_limit_order', market, 60, 500)
    const vector = vectors.vectors.find(({ id }) => id === 'order_book/fee_split_10_tokens')
    const wanted: unknown = vector?.expected
    const { data_provider, validators, liquidity_providers } = wanted as Record<string, string>
    attest(node)
    expect(settle(node, market).code).toBe(0)
    const [[id, liquidity, provider, validator, count, blocks] = []] = node.view('get_distribution_summary', [market])
    expect([liquidity, provider, validator, count, blocks]).toEqual(['0', data_provider, validators, 0n, 0n])
    expect(node.view('get_distribution_details', [id as bigint])).toEqual([
      [expect.anything(), keys.owner.address, data_provider, '12.50'],
      [expect.anything(), keys.operator.address, validators, '12.50'],
    ])
    const [[, , , , vault] = []] = node.view('validate_market_collateral', [market])
    expect(vault).toBe(liquidity_providers)
  })

  test('by hand it is for members of network_writer, and takes no more than the vault has', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    expect(node.execute(trader('A'), 'trigger_fee_distribution', [market, '1']).log).toBe(
      'ERROR: Only network_writer can trigger fee distribution',
    )
    const trigger = (id: number, fees: string) => node.execute(keys.owner, 'trigger_fee_distribution', [id, fees]).log
    expect(trigger(9, '1')).toBe('ERROR: Market not found: 9')
    expect(trigger(market, '8')).toMatch(/null value in column "outcome" of relation "ob_net_impacts"/)
    expect(trigger(market, 'many')).toMatch(/Cannot read total_fees: "many"/)
    publishValue(node, '50')
    attest(node)
    settle(node, market)
    expect(trigger(market, '8')).toBe('ERROR: insufficient balance')
    expect(trigger(market, '0')).toBe('')
  })
})

describe('sampleMarket', () => {
  const middles = vectors.vectors.filter(({ id }) => id.startsWith('order_book/lp_spread'))

  test.each(middles)('$id', ({ input, expected }) => {
    const { spread, eligible } = expected as { spread: number; eligible: boolean }
    expect(computeSpread((input as { midpoint: number }).midpoint)).toBe(eligible ? spread : undefined)
  })

  test('every fiftieth block gives the fees to those who kept both sides near the middle', () => {
    const node = startMarketNode(['A', 'B'])
    const market = openMarket(node)
    publishValue(node, '50')
    // A quotes 48 to 52 with a hundred, B with three hundred a cent wider, each on both sides.
    for (const [name, amount, distance] of [
      ['A', 100, 2],
      ['B', 300, 3],
    ] as const) {
      node.must(trader(name), 'place_split_limit_order', market, 50 - distance, amount)
      node.must(trader(name), 'place_sell_order', market, true, 50 + distance, amount)
      node.must(trader(name), 'place_buy_order', market, true, 50 - distance, amount)
      node.must(trader(name), 'place_buy_order', market, false, 50 - distance, amount)
    }
    node.rpc('dev.mine', { blocks: 50 })
    attest(node)
    expect(settle(node, market).log).toMatch(/global_total_score=84\.00000000000000000000$/)
    const [[id, liquidity, , , count, blocks] = []] = node.view('get_distribution_summary', [market])
    // 400 winning shares pay 8 tokens: 6 for liquidity, by 36 and 48 of 84 in both samples.
    expect([liquidity, count, blocks]).toEqual([String(6n * token), 2n, 2n])
    const details = node.view('get_distribution_details', [id as bigint])
    const shares = Object.fromEntries(details.map(([, wallet, amount, percent]) => [wallet, [amount, percent]]))
    expect(shares[trader('A').address]).toEqual(['2571600000000000000', '85.72'])
    expect(shares[trader('B').address]).toEqual(['3428400000000000000', '114.28'])
    expect(node.view('get_participant_reward_history', [trader('B').address])[0]?.slice(1, 4)).toEqual([
      BigInt(market),
      '3428400000000000000',
      '114.28',
    ])
  })
})

describe('settings of settlement and rewards', () => {
  const node = startMarketNode(['A'])
  const writers = 'caller must be a member of system:network_writer role'

  test.each([
    ['update_settlement_config', 'A', [true, '* * * * *', 1, 1], writers],
    ['update_settlement_config', 'owner', [null, '* * * * *', 1, 1], 'enabled cannot be NULL'],
    ['update_settlement_config', 'owner', [true, '', 1, 1], 'schedule cannot be empty'],
    ['update_settlement_config', 'owner', [true, 'x', 0, 1], 'max_markets_per_run must be between 1 and 1000'],
    ['update_settlement_config', 'owner', [true, 'x', 1, 11], 'retry_attempts must be between 1 and 10'],
    [
      'update_settlement_config',
      'owner',
      [true, null, 1, 1],
      'null value in column "settlement_schedule" of relation "settlement_config" violates not-null constraint (SQLSTATE 23502)',
    ],
    ['update_lp_rewards_config', 'A', [true, 1, 1], 'Only network_writer can update LP rewards config'],
    ['update_lp_rewards_config', 'owner', [null, 1, 1], 'enabled cannot be NULL'],
    ['update_lp_rewards_config', 'owner', [true, 0, 1], 'sampling_interval_blocks must be >= 1'],
    ['update_lp_rewards_config', 'owner', [true, 1, 1001], 'max_markets_per_run must be between 1 and 1000'],
  ] as const)('%s of %s with %s', (action, name, args, text) => {
    const signer = name === 'owner' ? keys.owner : trader(name)
    expect(node.execute(signer, action, args).log.replace(/^ERROR: /, '')).toBe(text)
  })

  test('are read as they were written', () => {
    expect(node.view('get_settlement_config', [])).toEqual([[true, '*/5 * * * *', 1000n, 3n, 0n]])
    expect(node.view('get_lp_rewards_config', [])).toEqual([[true, 50n, 1000n]])
    node.must(keys.owner, 'update_settlement_config', false, '0 * * * *', 5, 2)
    node.must(keys.owner, 'update_lp_rewards_config', false, 10, 20)
    expect(node.view('get_settlement_config', [])[0]?.slice(0, 4)).toEqual([false, '0 * * * *', 5n, 2n])
    expect(node.view('get_lp_rewards_config', [])).toEqual([[false, 10n, 20n]])
  })
})

test('another interval of sampling counts from the next block', () => {
  const node = startMarketNode(['A'])
  const market = openMarket(node)
  publishValue(node, '50')
  node.must(trader('A'), 'place_split_limit_order', market, 48, 100)
  node.must(trader('A'), 'place_sell_order', market, true, 52, 100)
  node.must(trader('A'), 'place_buy_order', market, true, 48, 100)
  node.must(trader('A'), 'place_buy_order', market, false, 48, 100)
  node.must(keys.owner, 'update_lp_rewards_config', true, 1, 1000)
  node.rpc('dev.mine', { blocks: 3 })
  attest(node)
  settle(node, market)
  // The block of the change and three more, the request, its signature, and settlement itself.
  expect(node.view('get_distribution_summary', [market])[0]?.[5]).toBe(7n)
})
