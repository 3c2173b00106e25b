import { describe, expect, test } from 'vitest'
import { computeSpread } from '#devnode/markets/sampling.ts'
import { keys, namedRows } from '../../support/devnode.ts'
import {
  attestMarket,
  openMarket,
  publishValue,
  quoteBothSides,
  settleMarket,
  startMarketNode,
  token,
  trader,
} from '../../support/markets.ts'
import vectors from '../../vectors/streams-vectors.json' with { type: 'json' }

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
      quoteBothSides(node, { name, market, distance, amount })
    }
    node.rpc('dev.mine', { blocks: 50 })
    attestMarket(node)
    expect(settleMarket(node, market).log).toMatch(/global_total_score=84\.00000000000000000000$/)
    const [summary] = namedRows(node, 'get_distribution_summary', [market])
    // 400 winning shares pay 8 tokens: 6 for liquidity, by 36 and 48 of 84 in both samples.
    expect(summary).toMatchObject({
      total_lp_fees_distributed: String(6n * token),
      total_lp_count: 2n,
      block_count: 2n,
    })
    const narrow = { reward_amount: '2571600000000000000', total_reward_percent: '85.72' }
    const wide = { reward_amount: '3428400000000000000', total_reward_percent: '114.28' }
    const details = namedRows(node, 'get_distribution_details', [summary?.distribution_id as bigint])
    const shareOf = (name: string) => details.find((row) => row.wallet_address === trader(name).address)
    expect(shareOf('A')).toMatchObject(narrow)
    expect(shareOf('B')).toMatchObject(wide)
    expect(namedRows(node, 'get_participant_reward_history', [trader('B').address])).toMatchObject([
      { query_id: BigInt(market), ...wide },
    ])
  })
})

test('sampleActiveMarkets() follows another interval from the next block on', () => {
  const node = startMarketNode(['A'])
  const market = openMarket(node)
  publishValue(node, '50')
  quoteBothSides(node, { name: 'A', market, distance: 2, amount: 100 })
  node.must(keys.owner, 'update_lp_rewards_config', true, 1, 1000)
  node.rpc('dev.mine', { blocks: 3 })
  attestMarket(node)
  settleMarket(node, market)
  // The block of the change and three more, the request, its signature, and settlement itself.
  expect(namedRows(node, 'get_distribution_summary', [market])).toMatchObject([{ block_count: 7n }])
})
