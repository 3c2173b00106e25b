import { expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { startTestNode } from '../support/devnode.ts'

test.each([profiles.seed, profiles.head])(
  'the seed network has two markets alive in profile $name',
  (profile) => {
    const node = startTestNode({ profile })
    node.rpc('dev.loadSeedNetwork')
    const markets = node.view('list_markets', [false, null, null]).map(([id]) => Number(id))
    expect(markets).toEqual([2, 1])
    for (const market of markets) {
      const [[bid, ask, spread] = []] = node.view('get_best_prices', [market, true])
      expect([Number(ask) > Number(bid), Number(spread)]).toEqual([true, 4])
      expect(node.view('get_full_market_depth', [market]).length).toBeGreaterThan(6)
      expect(node.view('validate_market_collateral', [market])[0]?.slice(0, 2)).toEqual([true, true])
    }
    // A network that is loaded already is not loaded again.
    node.rpc('dev.loadSeedNetwork')
    expect(node.view('list_markets', [null, null, null])).toHaveLength(2)
  },
  30_000,
)
