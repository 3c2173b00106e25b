import { describe, expect, it } from 'vitest'
import { assertNetwork } from '#grid/network/assert-network.ts'
import { caseNames, defaultCase, findCase } from '#grid/network/cases/catalogue.ts'
import { totalLoadMw } from '#grid/network/network.ts'
import vectors from '#test/vectors/grid-power-flow.json' with { type: 'json' }

describe.each(caseNames)('findCase() of %s', (name) => {
  const network = findCase(name)

  it('gives a sound network with the load of the archive, the same value every time', () => {
    expect(() => assertNetwork(network)).not.toThrow()
    expect(totalLoadMw(network)).toBeCloseTo(vectors.cases[name].load_mw, 6)
    expect(findCase(name)).toBe(network)
  })

  it('places PMUs so that every bus has one or is joined to one that has', () => {
    const seen = new Set(network.pmuBuses)
    for (const { from, to } of network.branches) {
      if (network.pmuBuses.includes(from)) seen.add(to)
      if (network.pmuBuses.includes(to)) seen.add(from)
    }
    expect(seen.size).toBe(network.buses.length)
  })

  it('has ratings, pick-ups, places and inertia for everything', () => {
    for (const { rateMva, securePickupMva, fragilePickupMva } of network.branches) {
      expect(rateMva).toBeGreaterThan(0)
      expect(securePickupMva).toBeGreaterThanOrEqual(fragilePickupMva - 1e-6)
      expect(fragilePickupMva).toBeCloseTo(1.25 * rateMva, 6)
    }
    for (const { inertiaS, machineMva } of network.generators) {
      expect(inertiaS).toBeGreaterThan(0)
      expect(machineMva).toBeGreaterThan(0)
    }
    const places = new Set(network.buses.map(({ x, y }) => `${x},${y}`))
    expect(places.size).toBe(network.buses.length)
  })
})

describe('findCase()', () => {
  it('refuses a name that is not in the catalogue', () => {
    expect(() => findCase('case57')).toThrow(expect.objectContaining({ code: 'invalid_case' }))
    expect(caseNames).toContain(defaultCase)
  })
})
