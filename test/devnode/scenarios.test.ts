/** The development node against the recorded answers of a real one: texts, codes, columns and rows, step by step. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { profiles } from '#devnode/profiles.ts'
import { runScenario } from '../support/conformance/run.ts'
import { parseScenarios, readScenarioFiles } from '../support/conformance/scenario.ts'
import { startTestNode } from '../support/devnode.ts'
import { connectTestNode } from '../support/devnode-connection.ts'

const scenarios = readScenarioFiles().flatMap(({ scenarios, shapes }) =>
  scenarios.map((scenario) => ({ name: scenario.name, scenario, shapes })),
)

/** Arguments at their limits: nulls, texts that are not numbers, lists of unequal length, numbers that overflow. */
const edges = (() => {
  const name = 'network-edges.json'
  const path = new URL(`../vectors/${name}`, import.meta.url)
  const { scenarios, shapes } = parseScenarios(name, readFileSync(path, 'utf8'))
  return scenarios.map((scenario) => ({ name: scenario.name, scenario, shapes }))
})()

describe('the development node in the profile of today', () => {
  it('is compared with every recorded step', () => {
    expect(scenarios.map(({ name, scenario }) => [name, scenario.steps.length])).toEqual([
      ['agents-771', 221],
      ['market-41', 645],
      ['liquidity-52', 177],
      ['streams-21', 600],
    ])
    expect(edges.map(({ name, scenario }) => [name, scenario.steps.length])).toEqual([
      ['edges-1', 864],
      ['edges-2', 44],
      ['edges-3', 94],
    ])
  })

  it.each([...scenarios, ...edges])(
    'gives every recorded answer of $name to the byte',
    async ({ scenario, shapes }) => {
      const node = startTestNode({ profile: profiles.head, writers: [], managers: [] })
      const { compared, differences } = await runScenario(connectTestNode(node), scenario, shapes)
      expect(compared).toBeGreaterThan(scenario.steps.length / 2)
      expect(differences).toEqual([])
    },
  )
})
