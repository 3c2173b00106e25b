/** The way back: load and machines return by order and by rule, each bus keeps its own share, a blackout ends. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { blackStartUnits, connectMachine, disconnectMachine, refuseConnection } from '#grid/plant/machine-connection.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import { restorationRule } from '#grid/plant/restoration.ts'
import type { Plant } from '#grid/plant/state.ts'
import { refuseClosing } from '#grid/plant/synchronism.ts'
import case14 from '../../../src/grid/network/cases/case14.json' with { type: 'json' }
import { randomOf } from '../../support/random.ts'
import { sweep } from '../../support/sweep.ts'

const configuration: Configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0 }
const base = findCase('case14')

function run(plant: Plant, seconds: number, over: Partial<Configuration> = {}): readonly string[] {
  const events: string[] = []
  for (let step = 1; step <= seconds * 10; step++) {
    const result = stepPlant(plant, { ...configuration, ...over }, { step, random: createRandom(1, 'load') })
    for (const branch of result.trips) operateBreaker(plant, branch, false)
    events.push(...result.events)
  }
  return events
}

/** Case14 apart from its large machine, dark, and joined to it again. */
function darkPlant(): Plant {
  const plant = createPlant(configuration)
  for (const branch of [1, 2]) operateBreaker(plant, branch, false)
  run(plant, 12)
  return plant
}

describe('stepRestoration()', () => {
  it('returns every machine and all of the load, by rule, once the lines are closed', () => {
    const plant = darkPlant()
    expect(plant.lostMachines.map(({ generator, cause }) => [generator, cause])).toEqual(
      [1, 2, 3, 4].map((generator) => [generator, 'collapse']),
    )
    for (const branch of [1, 2]) operateBreaker(plant, branch, true)
    run(plant, 700)
    expect([plant.lostMachines, plant.shed]).toEqual([[], {}])
    expect(plant.solution.servedMw).toBeCloseTo(plant.solution.demandMw, 6)
    expect(plant.frequency.islands[0]?.stageSeconds).toEqual([0, 0, 0, 0])
  })

  it('returns nothing where only the operator restores, and nothing within the first minute', () => {
    const plant = createPlant(configuration)
    plant.shed = { 14: 0.4 }
    run(plant, 200, { restoration: 'operator' })
    expect(plant.shed).toEqual({ 14: 0.4 })
    run(plant, restorationRule.normalSeconds - 1)
    expect(plant.shed).toEqual({ 14: 0.4 })
    run(plant, 2)
    expect(plant.shed[14]).toBeLessThan(0.4)
  })

  it('returns what gives power or takes none but reactive power, with or without other load', () => {
    const buses = case14.buses.map(([id, pMw, ...others]) => [
      id ?? 0,
      id === 14 ? -20 : id === 10 ? 0 : (pMw ?? 0),
      ...others,
    ])
    for (const shed of [{ 14: 1 }, { 10: 0.5 }, { 9: 0.2, 10: 1, 14: 0.7 }]) {
      const over = { network: { ...case14, buses } }
      const plant = createPlant({ ...configuration, ...over })
      plant.shed = shed
      run(plant, 700, over)
      expect(plant.shed).toEqual({})
    }
  })

  it('returns no load to a bus whose voltage is low', () => {
    const plant = createPlant(configuration)
    plant.shed = { 14: 0.4 }
    plant.setpoints = Object.fromEntries(base.generators.map((_, machine) => [machine, 0.94]))
    plant.isStale = true
    run(plant, 100)
    expect(plant.solution.vmPu[13]).toBeLessThan(restorationRule.leastVoltagePu)
    expect(plant.shed).toEqual({ 14: 0.4 })
  })

  it('leaves a machine off that the operator took off', () => {
    const plant = createPlant(configuration)
    disconnectMachine(plant, base, 2)
    run(plant, 400)
    expect(plant.lostMachines.map(({ generator }) => generator)).toEqual([2])
  })
})

describe('a joined island', () => {
  it('leaves each bus its own shed share: a bus that never shed loses nothing', () => {
    const over = { case: 'case39', restoration: 'operator' } as const
    const plant = createPlant({ ...configuration, ...over })
    const network = findCase('case39')
    const tie = network.branches.find(({ from, to }) => from === 16 && to === 19)?.number ?? 0
    operateBreaker(plant, tie, false)
    plant.loadScale = 1.12
    run(plant, 60, over)
    const before = plant.shed
    expect(before[20]).toBeUndefined()
    expect(Object.keys(before).length).toBeGreaterThan(5)
    operateBreaker(plant, tie, true)
    run(plant, 2, over)
    expect(plant.shed).toEqual(before)
  })
})

describe('a blackout', () => {
  it('ends by a black start: only a unit that can starts a dead bus, and load follows it step by step', () => {
    const plant = createPlant(configuration)
    for (const generator of [0, 1]) disconnectMachine(plant, base, generator)
    run(plant, 2)
    expect([plant.solution.servedMw, plant.frequency.islands]).toEqual([0, []])
    expect(Object.values(plant.shed)).toEqual(base.loads.map(() => 1))
    expect([...blackStartUnits(base)]).toEqual([0, 1])
    plant.lostMachines = [...plant.lostMachines, { generator: 2, cause: 'order', seconds: 0 }]
    expect(refuseConnection(plant, base, 2)).toBe(
      'bus 3 is dead, and only the machines at bus 1 and 2 start without voltage from outside',
    )
    expect(refuseConnection(plant, base, 0)).toBeUndefined()
    connectMachine(plant, 0)
    run(plant, 20)
    expect(plant.frequency.islands[0]?.frequencyHz).toBeCloseTo(60, 1)
    for (const generator of [1, 2]) {
      expect(refuseConnection(plant, base, generator)).toBeUndefined()
      connectMachine(plant, generator)
    }
    run(plant, 700)
    expect(plant.solution.servedMw).toBeCloseTo(plant.solution.demandMw, 6)
  })
})

describe('random events', () => {
  it('restore every load and join no islands out of step, once the operator closes what is open', () => {
    for (let seed = 1; seed <= sweep(60, 3); seed++) {
      const random = randomOf(seed)
      const plant = createPlant(configuration)
      for (let event = 0; event < 6; event++) {
        const branch = Math.floor(random() * base.branches.length) + 1
        if (!plant.open.includes(branch)) operateBreaker(plant, branch, false)
        else if (refuseClosing(plant, base, branch) === undefined) operateBreaker(plant, branch, true)
        if (random() < 0.2) plant.loadScale = 0.7 + random() * 0.6
        run(plant, random() * 20)
      }
      plant.loadScale = 1
      restoreEverything(plant)
      expect(
        plant.solution.servedMw,
        `seed ${seed}: ${JSON.stringify([plant.shed, plant.open, plant.lostMachines, plant.frequency, plant.solution.vmPu])}`,
      ).toBeCloseTo(plant.solution.demandMw, 6)
    }
  })
})

/** Restores as an operator would: a black start where all is dark, lines closed when they may be, and time. */
function restoreEverything(plant: Plant): void {
  for (let minute = 0; minute < 40 && (plant.open.length > 0 || Object.keys(plant.shed).length > 0); minute++) {
    if (plant.frequency.islands.length === 0) connectMachine(plant, 0)
    for (const branch of plant.open) {
      if (refuseClosing(plant, base, branch) === undefined) operateBreaker(plant, branch, true)
      else plant.synchronizer ??= { branch, seconds: 0 }
    }
    for (let step = 1; step <= 600; step++) {
      const { closings } = stepPlant(plant, configuration, { step, random: createRandom(1, 'load') })
      for (const { branch } of closings) operateBreaker(plant, branch, true)
    }
  }
}
