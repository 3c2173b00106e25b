/** Requirements on a network before it is solved, mistake by mistake. */

import { describe, expect, it } from 'vitest'
import { assertNetwork } from '#grid/network/assert-network.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import type { Branch, Generator, Network } from '#grid/network/network.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const withBranch = (change: Partial<Branch>): Partial<Network> => ({
  branches: twoBusNetwork.branches.map((branch) => ({ ...branch, ...change })),
})
const withGenerator = (change: Partial<Generator>): Partial<Network> => ({
  generators: twoBusNetwork.generators.map((generator) => ({ ...generator, ...change })),
})

describe('assertNetwork()', () => {
  it.each(caseNames)('takes %s', (name) => {
    expect(() => assertNetwork(findCase(name))).not.toThrow()
  })

  it.each<[string, Partial<Network>]>([
    ['baseMva is 0, expected a positive number', { baseMva: 0 }],
    ['baseMva is Infinity, expected a positive number', { baseMva: Number.POSITIVE_INFINITY }],
    ['slackAngleDeg is NaN, expected a finite number', { slackAngleDeg: Number.NaN }],
    ['slack bus 3 does not exist', { slackBus: 3 }],
    ['branch 1 joins 1 and 3, expected two different buses that exist', withBranch({ to: 3 })],
    ['branch 1 joins 1 and 1, expected two different buses that exist', withBranch({ to: 1 })],
    ['branch 1 has a value that is not finite', withBranch({ b: Number.NaN })],
    ['branch 1 has no impedance, expected r or x other than 0', withBranch({ x: 0 })],
    ['branch 1 has ratio 0, expected above 0', withBranch({ ratio: 0 })],
    ['a generator is at bus 9, which does not exist', withGenerator({ bus: 9 })],
    ['the generator at bus 1 has pMw NaN, expected a finite number', withGenerator({ pMw: Number.NaN })],
    ['the generator at bus 1 has setpoint 2, expected above 0 and below 2 pu', withGenerator({ vSetpointPu: 2 })],
    ['a load is at bus 9, which does not exist', { loads: [{ bus: 9, pMw: 1, qMvar: 0 }] }],
    ['the load at bus 2 is not finite', { loads: [{ bus: 2, pMw: 1, qMvar: Number.NaN }] }],
    ['a shunt is at bus 9, which does not exist', { shunts: [{ bus: 9, gMw: 0, bMvar: 1 }] }],
    ['the shunt at bus 2 is not finite', { shunts: [{ bus: 2, gMw: Number.NaN, bMvar: 1 }] }],
    ['a phasor unit is at bus 9, which does not exist', { pmuBuses: [2, 9] }],
    ['two phasor units are at bus 2, expected one for a bus', { pmuBuses: [2, 1, 2] }],
  ])('refuses a network of which %s', (state, change) => {
    expect(() => assertNetwork({ ...twoBusNetwork, ...change })).toThrow(
      expect.objectContaining({ code: 'invalid_case', message: `Cannot compute network: ${state}` }),
    )
  })
})
