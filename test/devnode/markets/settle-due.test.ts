import { describe, expect, it } from 'vitest'
import { settleDueMarkets } from '#devnode/markets/settle-due.ts'
import { keys } from '../../support/devnode.ts'
import { balanceOf, openMarket, publishValue, startMarketNode, token, trader } from '../../support/markets.ts'

const settled = (node: ReturnType<typeof startMarketNode>, market: number) => node.view('get_market_info', [market])[0]

function dueNode(overrides = {}) {
  const node = startMarketNode(['a'], overrides)
  publishValue(node, '42')
  const market = openMarket(node)
  node.must(trader('a'), 'place_split_limit_order', market, 50, 10)
  node.nowMs = 1_760_001_000_000
  return { node, market }
}

const fund = (node: ReturnType<typeof startMarketNode>, tokens: bigint) =>
  node.rpc('dev.setBalance', { bridge: 'hoodi_tt', wallet: keys.operator.address, amount: `${tokens * token}` })

describe('settleDueMarkets()', () => {
  it('asks for the attestation in one run and settles in the next, from the operator', () => {
    const { node, market } = dueNode()
    fund(node, 100n)
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [market], settled: [], failed: [] })
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [], settled: [market], failed: [] })
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [], settled: [], failed: [] })
    expect(balanceOf(node, 'a')).toBe(999_999.8)
    expect(settled(node, market)).toContain(true)
  })

  it('sends nothing that would fail: without tokens for the fee the chain stays as it is', () => {
    const { node, market } = dueNode()
    fund(node, 39n)
    const before = node.rpc('dev.status')
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [], settled: [], failed: [market] })
    expect(node.rpc('dev.status')).toEqual(before)
  })

  it('counts a market as due at the time set for the next block', () => {
    const { node, market } = dueNode()
    fund(node, 100n)
    node.nowMs -= 500_000
    expect(node.rpc('dev.settleDue')).toMatchObject({ requested: [] })
    node.rpc('dev.setNextBlockTimestamp', { timestamp: 1_760_001_000 })
    expect(node.rpc('dev.settleDue')).toMatchObject({ requested: [market] })
  })

  it('leaves a market that is not due', () => {
    const { node, market } = dueNode()
    fund(node, 100n)
    node.nowMs -= 1000
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [], settled: [], failed: [] })
    expect(settled(node, market)).toContain(false)
  })

  it('works on no more markets than the settings of the network allow, the longest due first', () => {
    const { node, market } = dueNode()
    node.nowMs -= 2_000_000
    const later = openMarket(node, 41, 1_760_000_500)
    node.nowMs += 2_000_000
    fund(node, 100n)
    node.rpc('dev.grantRole', { wallet: keys.owner.address })
    node.must(keys.owner, 'update_settlement_config', true, '*/5 * * * *', 1, 3)
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [later], settled: [], failed: [] })
    expect(market).toBeLessThan(later)
  })

  it('pays for requests in turn: the fee returns to the operator, who makes the blocks', () => {
    const { node } = dueNode()
    node.nowMs -= 2_000_000
    openMarket(node, 41)
    node.nowMs += 2_000_000
    fund(node, 40n)
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [1, 2], settled: [], failed: [] })
  })

  it('waits while other transactions of the operator do', () => {
    const { node } = dueNode()
    fund(node, 100n)
    node.rpc('dev.setAutomine', { enabled: false })
    expect(node.rpc('dev.settleDue')).toMatchObject({ requested: [1] })
    expect(node.rpc('dev.settleDue')).toEqual({ requested: [], settled: [], failed: [] })
    node.rpc('dev.mine')
    node.rpc('dev.mine')
    expect(node.rpc('dev.settleDue')).toMatchObject({ settled: [1] })
  })

  it('is refused where the node has no key', () => {
    const { node } = dueNode({ nodeKey: undefined })
    expect(() => node.transact(settleDueMarkets)).toThrow(
      'tn_settlement is disabled: this node has no key to sign with',
    )
  })
})
