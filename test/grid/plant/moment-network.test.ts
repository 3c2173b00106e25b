/** The network of a moment: what is open, tripped, lost or set otherwise, and the loads at their factor. */

import { describe, expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { totalLoadMw } from '#grid/network/network.ts'
import { profileFactor } from '#grid/plant/loads.ts'
import { networkAtMoment, presentNetwork } from '#grid/plant/moment-network.ts'
import { createPlant } from '#grid/plant/plant.ts'

const configuration = { ...defaultConfiguration, case: 'case14', load_noise: 0 } as const
const base = findCase('case14')
const plant = createPlant(configuration)

describe('networkAtMoment()', () => {
  it('scales every load by the factor and by what is connected, and leaves the case as it is', () => {
    const before = totalLoadMw(base)
    const network = networkAtMoment(
      base,
      { ...plant, shed: Object.fromEntries(base.loads.map(({ bus }) => [bus, 0.5])) },
      0.8,
    )
    expect(totalLoadMw(network)).toBeCloseTo(before * 0.4, 9)
    expect(network.loads[0]?.qMvar).toBeCloseTo((base.loads[0]?.qMvar ?? 0) * 0.4, 12)
    expect(totalLoadMw(base)).toBe(before)
  })

  it('takes out open branches, lost machines and tripped loads, and sets the voltages that were written', () => {
    const network = networkAtMoment(
      base,
      {
        ...plant,
        open: [3],
        lostMachines: [{ generator: 1, cause: 'collapse', seconds: 0 }],
        shed: { 2: 1 },
        setpoints: { 0: 1.02 },
      },
      1,
    )
    expect(network.branches.filter(({ inService }) => !inService).map(({ number }) => number)).toEqual([3])
    expect(network.generators.map(({ inService }) => inService)).toEqual([true, false, true, true, true])
    expect(network.loads.find(({ bus }) => bus === 2)).toEqual({ bus: 2, pMw: 0, qMvar: 0 })
    expect(network.generators.map(({ vSetpointPu }) => vSetpointPu).slice(0, 2)).toEqual([
      1.02,
      base.generators[1]?.vSetpointPu,
    ])
  })
})

describe('presentNetwork()', () => {
  it('dispatches machines at their shafts and takes off what was shed', () => {
    const [island] = plant.frequency.islands
    if (island === undefined) throw new Error('expected an island')
    const machines = island.machines.map((machine) => ({ ...machine, mechanicalMw: 11 }))
    const frequency = { islands: [{ ...island, machines }] }
    const shed = Object.fromEntries(base.loads.map(({ bus }) => [bus, 0.25]))
    const calm = { ...configuration, load_speed: 0 }
    const network = presentNetwork({ ...plant, frequency, shed }, calm, 0)
    expect(new Set(network.generators.map(({ pMw }) => pMw))).toEqual(new Set([11]))
    const whole = totalLoadMw(base) * profileFactor(plant, calm, 0)
    expect(totalLoadMw(network)).toBeCloseTo(whole * 0.75, 9)
  })
})
