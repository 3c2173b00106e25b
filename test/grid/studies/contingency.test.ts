import { describe, expect, it } from 'vitest'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { analyzeContingencies, screenContingencies } from '#grid/studies/contingency.ts'
import vectors from '../../vectors/grid-contingencies.json' with { type: 'json' }

describe.each(caseNames)('analyzeContingencies() of %s', (name) => {
  const outcomes = [...analyzeContingencies(findCase(name))]

  it('counts solved, islanding and divergent outages as the reference does', () => {
    const count = (wanted: string): number => outcomes.filter(({ outcome }) => outcome === wanted).length
    expect({ solved: count('solved'), islanding: count('island'), divergent: count('divergent') }).toEqual(
      vectors.counts[name],
    )
  })

  it('trips nothing on overload with the secure pick-ups: no outage above 0.92 of a pick-up', () => {
    for (const { worst } of outcomes) {
      if (worst === null) continue
      const branch = findCase(name).branches[worst.branch - 1]
      expect(worst.loadingMva / (branch?.securePickupMva ?? 0)).toBeLessThan(0.92)
    }
  })
})

describe.each(Object.entries(vectors.cases))('analyzeContingencies() of %s', (name, table) => {
  it('gives every row of the reference', () => {
    const outcomes = new Map([...analyzeContingencies(findCase(name))].map((entry) => [entry.branch, entry]))
    for (const row of table.rows) {
      const [branch, from, to, result, vmin, vminBus, worstBranch, worstMva, worstPercent] = row
      const entry = outcomes.get(Number(branch))
      expect([entry?.from, entry?.to]).toEqual([from, to])
      expect(entry?.outcome).toBe(result === 'ok' ? 'solved' : 'island')
      if (result !== 'ok') continue
      expect(entry?.lowest?.vmPu).toBeCloseTo(Number(vmin), 5)
      expect(entry?.lowest?.bus).toBe(vminBus)
      expect(entry?.worst?.branch).toBe(worstBranch)
      expect(entry?.worst?.loadingMva).toBeCloseTo(Number(worstMva), 3)
      expect(entry?.worst?.loadingPercent).toBeCloseTo(Number(worstPercent), 1)
    }
    for (const [branch, islands] of Object.entries(table.islanded_buses)) {
      expect(outcomes.get(Number(branch))?.separated).toEqual(islands.flat())
    }
  })
})

describe('screenContingencies()', () => {
  it.each(['case14', 'case39', 'case118'] as const)(
    'puts the worst outage of %s among its first quarter and names every split',
    (name) => {
      const network = findCase(name)
      const screened = screenContingencies(network)
      const worstAc = [...analyzeContingencies(network)]
        .filter(({ worst }) => worst !== null)
        .sort((left, right) => (right.worst?.loadingPercent ?? 0) - (left.worst?.loadingPercent ?? 0))
      const first = screened.slice(0, Math.ceil(screened.length / 4)).map(({ branch }) => branch)
      expect(first).toContain(worstAc[0]?.branch)
      const islanding = screened.filter(({ splitsIsland }) => splitsIsland)
      expect(islanding).toHaveLength(vectors.counts[name].islanding)
    },
  )
})
