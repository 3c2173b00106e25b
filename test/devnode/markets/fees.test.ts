import { describe, expect, test } from 'vitest'
import { keys, namedRows } from '../../support/devnode.ts'
import { attestMarket, openMarket, publishValue, settleMarket, startMarketNode, trader } from '../../support/markets.ts'
import vectors from '../../vectors/streams-vectors.json' with { type: 'json' }

describe('distributeFees', () => {
  test('order_book/fee_split_10_tokens: an eighth each for provider and validator, the rest waits for samples', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    publishValue(node, '50')
    node.must(trader('A'), 'place_split_limit_order', market, 60, 500)
    const vector = vectors.vectors.find(({ id }) => id === 'order_book/fee_split_10_tokens')
    const wanted: unknown = vector?.expected
    const { data_provider, validators, liquidity_providers } = wanted as Record<string, string>
    attestMarket(node)
    expect(settleMarket(node, market).code).toBe(0)
    const [summary] = namedRows(node, 'get_distribution_summary', [market])
    expect(summary).toMatchObject({
      total_lp_fees_distributed: '0',
      total_dp_fees: data_provider,
      total_validator_fees: validators,
      total_lp_count: 0n,
      block_count: 0n,
    })
    expect(namedRows(node, 'get_distribution_details', [summary?.distribution_id as bigint])).toMatchObject([
      { wallet_address: keys.owner.address, reward_amount: data_provider, total_reward_percent: '12.50' },
      { wallet_address: keys.operator.address, reward_amount: validators, total_reward_percent: '12.50' },
    ])
    expect(namedRows(node, 'validate_market_collateral', [market])).toMatchObject([
      { vault_balance: liquidity_providers },
    ])
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
    attestMarket(node)
    settleMarket(node, market)
    expect(trigger(market, '8')).toBe('ERROR: insufficient balance')
    expect(trigger(market, '0')).toBe('')
  })
})
