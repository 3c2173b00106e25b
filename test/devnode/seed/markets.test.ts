import { expect, test } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { namedRows, startTestNode } from '../../support/devnode.ts'

test.each([profiles.seed, profiles.head])(
  'loadSeedNetwork() opens two markets in profile $name',
  (profile) => {
    const node = startTestNode({ profile })
    node.rpc('dev.loadSeedNetwork')
    const markets = node.view('list_markets', [false, null, null]).map(([id]) => Number(id))
    expect(markets).toEqual([2, 1])
    for (const market of markets) {
      expect(namedRows(node, 'get_best_prices', [market, true])).toMatchObject([{ spread: 4n }])
      expect(node.view('get_full_market_depth', [market]).length).toBeGreaterThan(6)
      const sound = { valid_token_binaries: true, valid_collateral: true }
      expect(namedRows(node, 'validate_market_collateral', [market])).toMatchObject([sound])
    }
    // A network that is loaded already is not loaded again.
    node.rpc('dev.loadSeedNetwork')
    expect(node.view('list_markets', [null, null, null])).toHaveLength(2)
  },
  30_000,
)
