/** The development node against the recorded answers of a real one: texts, codes, columns and rows, step by step. */

import { expect, test } from 'vitest'
import { playScenario } from '../support/network-traces.ts'
import markets from '../vectors/network-market-traces.json' with { type: 'json' }
import streams from '../vectors/network-traces.json' with { type: 'json' }

test('every recorded answer of a real node is given to the byte, in the profile of today', () => {
  expect(streams.steps.length).toBe(600)
  expect(playScenario(streams, streams.shapes)).toEqual([])
})

/**
 * Differences that stay, by scenario: the recording node had other markets on the same bridge, of which one was
 * settled while it was recorded, and its deposits came from another chain.
 */
const differing: Readonly<Record<string, readonly string[]>> = {
  'market-41': Array.from({ length: 5 }, () => 'hoodi_tt2_get_history'),
  'liquidity-52': [
    'get_active_markets_for_sampling',
    'validate_market_collateral',
    'validate_market_collateral',
  ],
}

test.each(markets.scenarios)('every recorded answer about markets is given: $name', (scenario) => {
  const differences = playScenario(scenario, markets.shapes)
  const named = differing[scenario.name] ?? []
  const others = differences.filter(({ action }) => !named.includes(action))
  expect(others).toEqual([])
  expect(differences.map(({ action }) => action)).toEqual(named)
})
