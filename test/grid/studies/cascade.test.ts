import { describe, expect, it } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import type { Network } from '#grid/network/network.ts'
import { type PickupChoice, relaysFor } from '#grid/plant/protection.ts'
import { runCascade } from '#grid/studies/cascade.ts'
import vectors from '../../vectors/grid-cascade.json' with { type: 'json' }

const findLine = (network: Network, branch: number): string => {
  const { from, to } = network.branches[branch - 1] ?? { from: 0, to: 0 }
  return `${from}-${to}`
}

/** The references ran with condensers as the case files list them: as units of 100 MW. */
function listedCondensers(network: Network): Network {
  const generators = network.generators.map((unit) => (unit.pMaxMw === 0 ? { ...unit, pMaxMw: 100 } : unit))
  return { ...network, generators }
}

function start(name: string, lines: readonly string[], pickup: PickupChoice) {
  const network = listedCondensers(findCase(name))
  const opened = new Set(
    network.branches.filter(({ number }) => lines.includes(findLine(network, number))).map(({ number }) => number),
  )
  return { network, cascade: doAtOnce(runCascade(network, opened, relaysFor(network, pickup))) }
}

describe('runCascade()', () => {
  it.each([
    ['case14', 'secure', vectors['case14_open_2-3_and_2-4']],
    ['case39', 'fragile', vectors['case39_open_21-22']],
  ] as const)('of %s with %s pick-ups trips as the reference does', (name, pickup, vector) => {
    const { network, cascade } = start(name, vector.initial_open, pickup)
    expect(cascade.trips.map(({ branch }) => findLine(network, branch))).toEqual(vector.trips.map(({ line }) => line))
    vector.trips.forEach(({ t_s, ...trip }, index) => {
      expect(Math.abs((cascade.trips[index]?.atSeconds ?? 0) - t_s)).toBeLessThan(0.01)
      if ('multiple_of_pickup' in trip) {
        expect(cascade.trips[index]?.multiple).toBeCloseTo(Number(trip.multiple_of_pickup), 2)
      }
    })
    expect(Math.abs(cascade.lostMw - vector.load_lost_mw)).toBeLessThan(0.001)
    expect(cascade.servedMw + cascade.lostMw).toBeCloseTo(
      network.loads.reduce((sum, { pMw }) => sum + pMw, 0),
      6,
    )
  })

  it.each(caseNames.slice(0, 4))('of %s stops at once after any single outage with secure pick-ups', (name) => {
    const network = findCase(name)
    const solid = network.branches.filter(({ number }) => number % 3 === 1)
    for (const { number } of solid) {
      expect(doAtOnce(runCascade(network, new Set([number]))).trips.length).toBeLessThanOrEqual(1)
    }
  })

  it('loses the island that only condensers would feed', () => {
    const network = findCase('case14')
    const cascade = doAtOnce(runCascade(network, new Set([3, 4])))
    expect(cascade.trips.map(({ branch }) => findLine(network, branch))).toEqual(['2-5', '4-5', '6-11', '13-14'])
    expect(cascade.servedMw).toBeCloseTo(21.545, 3)
  })

  it('makes an island dark where no unit is left', () => {
    const network = findCase('case9')
    const all = new Set(network.branches.map(({ number }) => number))
    expect(doAtOnce(runCascade(network, all))).toMatchObject({ servedMw: 0, lostMw: 315, trips: [] })
  })
})
