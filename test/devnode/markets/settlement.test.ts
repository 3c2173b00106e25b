import { describe, expect, test } from 'vitest'
import { keys, namedRows } from '../../support/devnode.ts'
import {
  attestMarket,
  balanceOf,
  openMarket,
  positionsOf,
  publishValue,
  requestMarketAttestation,
  settleMarket,
  settleTime,
  startMarketNode,
  trader,
} from '../../support/markets.ts'
import vectors from '../../vectors/streams-vectors.json' with { type: 'json' }

describe('settleMarket', () => {
  test('order_book/settle_pays_98_percent: of a pair, 98 cents for YES, and the open sell of NO is worth nothing', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node)
    publishValue(node, '50')
    node.must(trader('A'), 'place_split_limit_order', market, 60, 100)
    node.must(trader('A'), 'place_buy_order', market, false, 30, 10)
    expect(balanceOf(node, 'A')).toBe(1_000_000 - 103)
    attestMarket(node)
    expect(settleMarket(node, market).code).toBe(0)
    const vector = vectors.vectors.find(({ id }) => id === 'order_book/settle_pays_98_percent')
    expect(vector?.expected).toMatchObject({ A_net_change: '-2', positions_left: 0 })
    expect(balanceOf(node, 'A')).toBe(1_000_000 - 2)
    expect(positionsOf(node, 'A')).toEqual({})
    expect(namedRows(node, 'get_market_info', [market])).toMatchObject([
      { settled: true, winning_outcome: true, settled_at: BigInt(settleTime) },
    ])
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
    attestMarket(node)
    expect(refusal(market)).toBe('ERROR: Attestation not yet signed by validator. Please wait for signing to complete.')
    expect(positionsOf(node, 'A')).toEqual({ 'YES 0': 100, 'NO 40': 100 })
  })

  test('settles by the earliest request of the attestations signed in one block', () => {
    for (const threshold of [40, 41, 42, 43]) {
      const node = startMarketNode()
      const market = openMarket(node, threshold)
      publishValue(node, '50')
      node.rpc('dev.setNextBlockTimestamp', { timestamp: settleTime })
      node.rpc('dev.failNext', { error: 'signature_lost' })
      requestMarketAttestation(node, threshold)
      publishValue(node, '30')
      requestMarketAttestation(node, threshold)
      node.rpc('dev.mine')
      node.must(keys.owner, 'settle_market', market)
      expect(namedRows(node, 'get_market_info', [market])).toMatchObject([{ winning_outcome: true }])
    }
  })

  test('an attestation from before its time settles nothing; one from after does', () => {
    const node = startMarketNode(['A'])
    const market = openMarket(node, 40, settleTime)
    publishValue(node, '50')
    node.rpc('dev.setNextBlockTimestamp', { timestamp: 1_760_000_060 })
    requestMarketAttestation(node)
    node.rpc('dev.setNextBlockTimestamp', { timestamp: settleTime })
    expect(settleMarket(node, market).log).toBe(
      'ERROR: binary action result must be 32 bytes (abi-encoded bool), got 128',
    )
    requestMarketAttestation(node)
    expect(settleMarket(node, market).code).toBe(0)
    expect(settleMarket(node, market).log).toBe('ERROR: Market has already been settled')
  })
})
