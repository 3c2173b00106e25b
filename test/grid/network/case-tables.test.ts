/** Tables as a network: which column is which, and what a row leaves out. */

import { describe, expect, it } from 'vitest'
import { type CaseTables, toNetwork } from '#grid/network/case-tables.ts'

const tables: CaseTables = {
  name: 'pair',
  title: 'A pair of buses',
  source: 'made up',
  baseMva: 100,
  f0Hz: 60,
  slackBus: 7,
  slackAngleDeg: 3,
  buses: [
    [7, 0, 0, 0, 19, 2, 345, 1.06, 0.94, 10, 20],
    [9, 90, -30, 0, 0, 1, 230, 1.1, 0.9, 30, 40],
    [11, 0, 5, 1, 0, 1, 230, 1.1, 0.9, 50, 60],
  ],
  generators: [[7, 72.3, 1.04, 300, -250, 247, 10, 247.5, 9.55, 0.11, 5, 150]],
  branches: [
    [7, 9, 0.01, 0.085, 0.176, 0, 0, 250, 260, 325],
    [9, 11, 0, 0.2, 0, 0.978, -30, 150, 155, 190],
  ],
  pmuBuses: [7],
}

describe('toNetwork()', () => {
  const network = toNetwork(tables)

  it('makes loads and shunts of the rows that have any', () => {
    expect(network.loads).toEqual([
      { bus: 9, pMw: 90, qMvar: -30 },
      { bus: 11, pMw: 0, qMvar: 5 },
    ])
    expect(network.shunts).toEqual([
      { bus: 7, gMw: 0, bMvar: 19 },
      { bus: 11, gMw: 1, bMvar: 0 },
    ])
  })

  it('reads area, voltage and place of a bus', () => {
    expect(network.buses[0]).toEqual({ id: 7, area: 2, baseKv: 345, x: 10, y: 20 })
  })

  it('numbers branches from 1, and reads a ratio of 0 as a line', () => {
    expect(network.branches.map(({ number, ratio, shiftDeg }) => [number, ratio, shiftDeg])).toEqual([
      [1, 1, 0],
      [2, 0.978, -30],
    ])
    expect(network.branches[0]).toMatchObject({
      from: 7,
      to: 9,
      r: 0.01,
      x: 0.085,
      b: 0.176,
      rateMva: 250,
      securePickupMva: 260,
      fragilePickupMva: 325,
    })
  })

  it('reads the limits of a machine, the higher first', () => {
    expect(network.generators[0]).toMatchObject({
      pMw: 72.3,
      vSetpointPu: 1.04,
      qMaxMvar: 300,
      qMinMvar: -250,
      pMaxMw: 247,
      machineMva: 247.5,
      inertiaS: 9.55,
    })
  })

  it('has everything in service, and keeps what is not a table', () => {
    expect([...network.branches, ...network.generators].every(({ inService }) => inService)).toBe(true)
    expect(network).toMatchObject({ slackBus: 7, slackAngleDeg: 3, f0Hz: 60, pmuBuses: [7] })
  })

  it('leaves out the title and the source', () => {
    expect(network).not.toHaveProperty('title')
    expect(network).not.toHaveProperty('source')
  })

  it.each(['buses', 'generators', 'branches'] as const)('refuses a row of %s that lacks a number', (name) => {
    const [first = [], ...others] = tables[name]
    expect(() => toNetwork({ ...tables, [name]: [first.slice(1), ...others] })).toThrow(
      /^Cannot read case: the row .* is not of \d+ numbers$/,
    )
  })
})
