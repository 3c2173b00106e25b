/** The development node against the recorded answers of a real one: texts, codes, columns and rows, step by step. */

import { expect, test } from 'vitest'
import { playScenario, type Scenario } from '../support/network-traces.ts'
import markets from '../vectors/network-market-traces.json' with { type: 'json' }
import streams from '../vectors/network-traces.json' with { type: 'json' }

test('every recorded answer of a real node is given to the byte, in the profile of today', () => {
  expect(streams.steps.length).toBe(600)
  expect(playScenario(streams, streams.shapes)).toEqual([])
})

/** A recording up to its first step of attestations, bridges or samplings. */
function trading(scenario: Scenario): Scenario {
  const other = /attestation|transfer|bridge_tokens|settle|sampling|threshold/
  const end = scenario.steps.findIndex((step) => other.test(String((step as unknown[])[2])))
  return { ...scenario, steps: scenario.steps.slice(0, end) }
}

test.each(markets.scenarios)('every recorded answer about orders and books is given: $name', (scenario) => {
  expect(playScenario(trading(scenario), markets.shapes)).toEqual([])
})
