/** The grid as data: tables become a network, every mistake in one is named, and no change touches the original. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GridError } from '#grid/errors.ts'
import { assertNetwork } from '#grid/network/assert-network.ts'
import { toNetwork } from '#grid/network/case-tables.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { busPosition, busPositions, type Network, openBranches } from '#grid/network/network.ts'
import { refusal } from '../../support/refusal.ts'

const network = findCase('case9')

/** The first message of `assertNetwork`, without what all begin with. */
const mistake = (change: Partial<Network>) =>
  refusal(GridError, () => assertNetwork({ ...network, ...change }), 'invalid_case')?.message

/** The same list with the first element changed. */
function withFirst<T>(list: readonly T[], change: Partial<T>): T[] {
  return list.map((item, index) => (index === 0 ? { ...item, ...change } : item))
}

describe('toNetwork()', () => {
  it('reads each column of each table into its field', () => {
    const tables = {
      name: 'two',
      title: 'Two buses',
      baseMva: 50,
      f0Hz: 50,
      slackBus: 7,
      slackAngleDeg: 3,
      buses: [
        [7, 0, 0, 0, 0, 1, 110, 1.1, 0.9, 10, 20],
        [9, 5, 2, 0.5, 0.25, 2, 20, 1.05, 0.95, 30, 40],
      ],
      generators: [[7, 6, 1.02, 4, -3, 8, 1, 12, 2.5, 0.1, 0.2, 0.3]],
      branches: [
        [7, 9, 0.01, 0.1, 0.02, 0, 0, 15, 16, 17],
        [9, 7, 0, 0.2, 0, 0.98, 5, 25, 26, 27],
      ],
      pmuBuses: [9],
      source: 'made up',
    } as const
    expect(toNetwork(tables)).toEqual({
      name: 'two',
      baseMva: 50,
      f0Hz: 50,
      slackBus: 7,
      slackAngleDeg: 3,
      pmuBuses: [9],
      buses: [
        { id: 7, area: 1, baseKv: 110, x: 10, y: 20 },
        { id: 9, area: 2, baseKv: 20, x: 30, y: 40 },
      ],
      loads: [{ bus: 9, pMw: 5, qMvar: 2 }],
      shunts: [{ bus: 9, gMw: 0.5, bMvar: 0.25 }],
      generators: [
        {
          bus: 7,
          inService: true,
          pMw: 6,
          vSetpointPu: 1.02,
          qMaxMvar: 4,
          qMinMvar: -3,
          pMaxMw: 8,
          pMinMw: 1,
          machineMva: 12,
          inertiaS: 2.5,
        },
      ],
      branches: [
        {
          number: 1,
          from: 7,
          to: 9,
          inService: true,
          r: 0.01,
          x: 0.1,
          b: 0.02,
          // The archives write 0 for a line, which has no tap.
          ratio: 1,
          shiftDeg: 0,
          rateMva: 15,
          securePickupMva: 16,
          fragilePickupMva: 17,
        },
        {
          number: 2,
          from: 9,
          to: 7,
          inService: true,
          r: 0,
          x: 0.2,
          b: 0,
          ratio: 0.98,
          shiftDeg: 5,
          rateMva: 25,
          securePickupMva: 26,
          fragilePickupMva: 27,
        },
      ],
    })
  })
})

describe('assertNetwork()', () => {
  it.each(caseNames)('finds nothing wrong with %s', (name) => {
    expect(() => assertNetwork(findCase(name))).not.toThrow()
  })

  it.each<[string, Partial<Network>]>([
    ['baseMva is 0, expected a positive number', { baseMva: 0 }],
    ['baseMva is Infinity, expected a positive number', { baseMva: Number.POSITIVE_INFINITY }],
    ['baseMva is NaN, expected a positive number', { baseMva: Number.NaN }],
    ['slackAngleDeg is NaN, expected a finite number', { slackAngleDeg: Number.NaN }],
    ['slack bus 99 does not exist', { slackBus: 99 }],
    [
      'branch 1 joins 99 and 4, expected two different buses that exist',
      { branches: withFirst(network.branches, { from: 99 }) },
    ],
    [
      'branch 1 joins 4 and 4, expected two different buses that exist',
      { branches: withFirst(network.branches, { from: 4 }) },
    ],
    ['branch 1 has a value that is not finite', { branches: withFirst(network.branches, { b: Number.NaN }) }],
    [
      'branch 1 has no impedance, expected r or x other than 0',
      { branches: withFirst(network.branches, { r: 0, x: 0 }) },
    ],
    ['branch 1 has ratio 0, expected above 0', { branches: withFirst(network.branches, { ratio: 0 }) }],
    ['a generator is at bus 99, which does not exist', { generators: withFirst(network.generators, { bus: 99 }) }],
    [
      'the generator at bus 1 has pMw NaN, expected a finite number',
      { generators: withFirst(network.generators, { pMw: Number.NaN }) },
    ],
    [
      'the generator at bus 1 has setpoint 2, expected above 0 and below 2 pu',
      { generators: withFirst(network.generators, { vSetpointPu: 2 }) },
    ],
    ['a load is at bus 99, which does not exist', { loads: withFirst(network.loads, { bus: 99 }) }],
    ['the load at bus 5 is not finite', { loads: withFirst(network.loads, { qMvar: Infinity }) }],
    ['a shunt is at bus 99, which does not exist', { shunts: [{ bus: 99, gMw: 0, bMvar: 1 }] }],
    ['the shunt at bus 1 is not finite', { shunts: [{ bus: 1, gMw: Number.NaN, bMvar: 1 }] }],
  ])('says: %s', (text, change) => {
    expect(mistake(change)).toBe(`Cannot compute network: ${text}`)
  })

  it('refuses a bus that appears twice', () => {
    const buses = [...network.buses, ...network.buses.slice(0, 1)]
    expect(mistake({ buses })).toBe('Cannot read network: a bus id appears twice, expected each once')
  })
})

describe('busPosition()', () => {
  it.each(caseNames)('finds every bus of %s at its index', (name) => {
    const { buses } = findCase(name)
    expect(buses.map(({ id }) => busPosition(findCase(name), id))).toEqual(buses.map((_, index) => index))
    expect(busPositions(findCase(name).buses).size).toBe(buses.length)
  })

  it('names a bus that does not exist', () => {
    expect(() => busPosition(network, 99)).toThrow('bus 99 does not exist in "case9"')
  })
})

describe('openBranches()', () => {
  it('opens the branches of these numbers, leaves all others and the original as they were', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: network.branches.length }))
    fc.assert(
      fc.property(numbers, numbers, (first, second) => {
        const before = structuredClone(network)
        const open = openBranches(openBranches(network, new Set(first)), new Set(second))
        const expected = new Set([...first, ...second])
        for (const { number, inService } of open.branches) expect(inService).toBe(!expected.has(number))
        // Plans are kept by the list of buses: a breaker must not make a new one.
        expect(open.buses).toBe(network.buses)
        expect(network).toEqual(before)
      }),
      { seed: 81 },
    )
  })
})
