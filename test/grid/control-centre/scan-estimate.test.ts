/** The estimate of a scan: the network as the control centre knows it, and units whose frames are old. */

import { describe, expect, it } from 'vitest'
import { compareAngles, isFresh, knownNetwork } from '#grid/control-centre/scan-estimate.ts'
import { createView } from '#grid/control-centre/view.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { contextOf } from '../../support/grid-context.ts'
import { estimateView, phasorView } from '../../support/phasor-view.ts'

describe('knownNetwork()', () => {
  const network = findCase('case14')

  it('opens the branches whose breakers were reported open, and no others', () => {
    const known = knownNetwork(network, { ...createView(), closed: { 3: false, 4: true, 20: false } })
    expect(known.branches.filter(({ inService }) => !inService).map(({ number }) => number)).toEqual([3, 20])
    expect(network.branches.every(({ inService }) => inService)).toBe(true)
  })

  it('is the very network where no breaker is open, so that its plan is found again', () => {
    expect(knownNetwork(network, { ...createView(), closed: { 3: true } })).toBe(network)
  })
})

describe('isFresh()', () => {
  const context = contextOf()
  it.each([
    [1_499_999, true],
    [1_500_000, false],
  ])('of a frame measured %d microseconds ago is %s', (age, fresh) => {
    expect(isFresh(context, phasorView({ measuredUs: context.startUs - age }))).toBe(fresh)
  })
})

describe('compareAngles()', () => {
  /** A session whose units all measure the estimated angles, the first one off by so much. */
  function compare(off: number, change: { heard?: number; ageUs?: number; dead?: boolean } = {}) {
    const context = contextOf()
    const { heard = context.plan.pmus.length, ageUs = 2_000, dead = false } = change
    const { vmPu, vaRad } = context.world.plant.solution
    const measuredUs = context.startUs - ageUs
    for (const [index, { node, bus }] of context.plan.pmus.slice(0, heard).entries()) {
      const position = context.network.buses.findIndex(({ id }) => id === bus)
      const angleRad = (vaRad[position] ?? 0) + 0.7 + (index === 0 ? off : 0)
      context.world.view.phasors[node] = phasorView({ measuredUs, phasors: [{ magnitudePu: 1, angleRad }] })
    }
    const estimate = estimateView({ vmPu: dead ? vmPu.map(() => 0.05) : vmPu, vaRad })
    return compareAngles(context, estimate).map(({ where }) => where)
  }

  it('finds nothing where all units turned alike, and the unit that did not', () => {
    expect(compare(0)).toEqual([])
    expect(compare(0.3)).toEqual(['PMU-1'])
  })

  it('finds nothing with fewer than three units: of two, either may be off', () => {
    expect(compare(0.3, { heard: 3 })).toEqual(['PMU-1'])
    expect(compare(0.3, { heard: 2 })).toEqual([])
  })

  it('leaves out frames that are old and buses that are dead', () => {
    expect(compare(0.3, { ageUs: 1_500_000 })).toEqual([])
    expect(compare(0.3, { dead: true })).toEqual([])
  })
})
