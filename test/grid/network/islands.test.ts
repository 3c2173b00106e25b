import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { findIslands } from '#grid/network/islands.ts'
import { openBranches } from '#grid/network/network.ts'

describe('findIslands()', () => {
  it('keeps the slack bus of the case and gives other islands their largest unit', () => {
    const network = findCase('case39')
    const split = openBranches(
      network,
      new Set(
        network.branches.filter(({ from, to }) => to === 29 && (from === 26 || from === 28)).map((b) => b.number),
      ),
    )
    expect(findIslands(split).map(({ buses, slackBus }) => [buses.length, slackBus])).toEqual([
      [37, 31],
      [2, 38],
    ])
    expect(findIslands(network, { largestUnitIsSlack: true })[0]?.slackBus).toBe(39)
  })

  it('calls an island that only a condenser feeds dead', () => {
    const islands = findIslands(openBranches(findCase('case14'), new Set([14])))
    expect(islands[1]).toEqual({ buses: [8], slackBus: null, energized: false })
  })
})
