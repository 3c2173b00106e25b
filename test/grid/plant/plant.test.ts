/** The physical grid as it runs: at rest, out of balance, switched and broken. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { writePowerReference, writeVoltageSetpoint } from '#grid/plant/machine-orders.ts'
import { injectionAt, rotationAt } from '#grid/plant/observables.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import type { Plant } from '#grid/plant/state.ts'

const configuration: Configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0 }

function run(plant: Plant, steps: number, over: Partial<Configuration> = {}) {
  const trips: { readonly step: number; readonly branch: number }[] = []
  const events: string[] = []
  for (let step = 1; step <= steps; step++) {
    const result = stepPlant(plant, { ...configuration, ...over }, { step, random: createRandom(1, 'load') })
    for (const branch of result.trips) {
      trips.push({ step, branch })
      operateBreaker(plant, branch, false)
    }
    events.push(...result.events)
  }
  return { trips, events }
}

describe('stepPlant() backs up a breaker that does not obey', () => {
  /** Trips of each step after two lines opened, when no bay opens the breakers in `stuck`. */
  function tripsBeside(stuck: readonly number[]) {
    const plant = createPlant(configuration)
    operateBreaker(plant, 3, false)
    operateBreaker(plant, 4, false)
    const trips: { readonly step: number; readonly branches: readonly number[] }[] = []
    const events: string[] = []
    for (let step = 1; step <= 450; step++) {
      const result = stepPlant(plant, configuration, { step, random: createRandom(1, 'load') })
      if (result.trips.length > 0) trips.push({ step, branches: result.trips })
      for (const branch of result.trips) if (!stuck.includes(branch)) operateBreaker(plant, branch, false)
      events.push(...result.events)
    }
    return { trips, events, plant }
  }

  it('0.2 s after its trip, by every other closed branch at both of its ends', () => {
    const { trips, events } = tripsBeside([5])
    expect(trips[0]?.branches).toEqual([5])
    // Branch 5 joins buses 2 and 5.
    expect(trips[1]).toEqual({ step: (trips[0]?.step ?? 0) + 2, branches: [1, 2, 7, 10] })
    expect(events).toContainEqual(expect.stringContaining('the breaker of branch 5 did not open'))
  })

  it('and remembers nothing where every breaker obeys', () => {
    const { events, plant } = tripsBeside([])
    expect(plant).not.toHaveProperty('breakerFailure')
    expect(events.filter((text) => text.includes('did not open'))).toEqual([])
  })
})

describe('stepPlant()', () => {
  it('stays at rest at the loads of the case', () => {
    const plant = createPlant(configuration)
    expect(run(plant, 100)).toEqual({ trips: [], events: [] })
    expect(rotationAt(plant, 1).frequencyHz).toBeCloseTo(60, 3)
    expect(plant.solution.servedMw).toBeCloseTo(259, 6)
  })

  it('lets the frequency fall when load is added, and secondary control brings it back', () => {
    const plant = createPlant(configuration)
    plant.loadScale = 1.1
    run(plant, 80, { agc_gain: 0 })
    const fallen = rotationAt(plant, 1).frequencyHz
    expect(fallen).toBeLessThan(59.93)
    run(plant, 600, { agc_gain: 0.1 })
    expect(rotationAt(plant, 1).frequencyHz).toBeGreaterThan(fallen + 0.04)
  })

  it('trips what an outage of two lines overloads, and nothing after one', () => {
    const one = createPlant(configuration)
    operateBreaker(one, 3, false)
    expect(run(one, 300).trips).toEqual([])
    const two = createPlant(configuration)
    operateBreaker(two, 3, false)
    operateBreaker(two, 4, false)
    const { trips } = run(two, 450)
    expect(trips[0]?.branch).toBe(5)
    expect(trips.length).toBeGreaterThan(1)
    expect(two.solution.servedMw).toBeLessThan(two.solution.demandMw)
  })

  it('has no relays where none are wanted', () => {
    const plant = createPlant(configuration)
    operateBreaker(plant, 3, false)
    operateBreaker(plant, 4, false)
    expect(run(plant, 300, { pickup: 'off' }).trips).toEqual([])
  })

  it('balances at every bus: machines less loads are what flows away', () => {
    const plant = createPlant(configuration)
    run(plant, 20)
    const network = findCase('case14')
    const injected = network.buses.reduce((sum, { id }) => sum + injectionAt(plant, network, id).pMw, 0)
    expect(injected).toBeCloseTo(plant.solution.lossesMw, 4)
    const load = network.loads.find(({ bus }) => bus === 14)
    expect(injectionAt(plant, network, 14).pMw).toBeCloseTo(-(load?.pMw ?? 0), 4)
  })

  /** Case14 with its second machine apart from the rest, where the first unit of the control centre is. */
  function dividedPlant(): Plant {
    const plant = createPlant(configuration)
    // Without over-current relays the rest survives on half of its load.
    plant.loadScale = 0.5
    for (const branch of [1, 3, 4, 5]) operateBreaker(plant, branch, false)
    return plant
  }

  it('regulates only the island in which the frequency was measured by that measurement', () => {
    const plant = dividedPlant()
    for (let step = 1; step <= 6000; step++) {
      const { frequencyHz } = rotationAt(plant, 2)
      stepPlant(
        plant,
        { ...configuration, pickup: 'off' },
        { step, random: createRandom(1, 'load'), measured: { bus: 2, hz: frequencyHz + 0.1 } },
      )
    }
    expect(plant.frequency.islands).toHaveLength(2)
    expect(rotationAt(plant, 1).frequencyHz).toBeCloseTo(60, 2)
    expect(rotationAt(plant, 2).frequencyHz).toBeCloseTo(59.9, 2)
  })

  it('gives each island its own losses: each slack machine gives what its shaft has', () => {
    const plant = dividedPlant()
    run(plant, 3000, { pickup: 'off', agc_gain: 0 })
    const [rest, alone] = plant.frequency.islands
    // At rest the power of the shafts is load, damping and losses, which is what the power flow balances.
    for (const [island, machine] of [
      [rest, 0],
      [alone, 1],
    ] as const) {
      const shaft = island?.machines.find(({ generator }) => generator === machine)?.mechanicalMw ?? 0
      const damping = ((island?.frequencyHz ?? 60) / 60 - 1) * (island === alone ? 21.7 : 237.3) * 0.5
      expect(shaft - damping).toBeCloseTo(plant.solution.generators[machine]?.pMw ?? 0, 2)
    }
  })

  it('serves, in the moment of a collapse, the share that its flows carry', () => {
    const plant = createPlant(configuration)
    const { events } = run(plant, 1)
    expect(events).toEqual([])
    plant.loadScale = 6
    let collapsed = false
    for (let step = 1; step <= 40 && !collapsed; step++) {
      const result = stepPlant(plant, { ...configuration, pickup: 'off' }, { step, random: createRandom(1, 'load') })
      collapsed = result.events.some((text) => text.startsWith('the voltages collapsed'))
    }
    expect(collapsed).toBe(true)
    const { generators, servedMw, lossesMw } = plant.solution
    const generated = generators.reduce((sum, { pMw }) => sum + pMw, 0)
    expect(generated - servedMw).toBeCloseTo(lossesMw, 6)
  })

  it('loses in a second collapse a share of what the first one left', () => {
    const collapsed = (left: number) => {
      const plant = createPlant(configuration)
      const { loads } = findCase('case14')
      plant.shed = Object.fromEntries(loads.map(({ bus }) => [bus, 1 - left]))
      plant.loadScale = 6 / left
      plant.isStale = true
      const { events } = run(plant, 1, { pickup: 'off' })
      expect(events.join()).toContain('the voltages collapsed')
      return 1 - (plant.shed[14] ?? 0)
    }
    expect(collapsed(0.5)).toBeCloseTo(collapsed(1) / 2, 6)
  })

  it('is dark in an island without machines, and recovers when it is joined again', () => {
    const plant = createPlant(configuration)
    // Only branch 14 feeds bus 8, which has only a condenser.
    operateBreaker(plant, 14, false)
    run(plant, 10)
    expect([plant.solution.vmPu[7], rotationAt(plant, 8).frequencyHz]).toEqual([0, 0])
    operateBreaker(plant, 14, true)
    run(plant, 10)
    expect(plant.solution.vmPu[7]).toBeGreaterThan(1)
  })
})

describe('writeVoltageSetpoint() and writePowerReference()', () => {
  const network = findCase('case14')

  it('move the machine at a bus', () => {
    const plant = createPlant(configuration)
    writeVoltageSetpoint(plant, network, 3, 0.98)
    writePowerReference(plant, network, 2, 60)
    run(plant, 60, { agc_gain: 0 })
    expect(plant.solution.vmPu[2]).toBeCloseTo(0.98, 6)
    expect(plant.solution.generators[1]?.pMw).toBeGreaterThan(50)
  })
})
