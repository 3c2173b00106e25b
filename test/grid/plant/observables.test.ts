/** Observations at a bus: its injection, counted from flows, and the island that it turns with. */

import { describe, expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { caseNames, findCase } from '#grid/network/cases/catalogue.ts'
import { injectionAt, rotationAt } from '#grid/plant/observables.ts'
import { createPlant } from '#grid/plant/plant.ts'
import type { Plant } from '#grid/plant/state.ts'
import { must } from '../../support/must.ts'

describe('injectionAt()', () => {
  it.each(caseNames)('is machines less loads in %s', (name) => {
    const base = findCase(name)
    const plant = createPlant({ ...defaultConfiguration, case: name, load_speed: 0, load_noise: 0 })
    let sum = 0
    for (const { id } of base.buses) sum += injectionAt(plant, base, id).pMw
    const { solution } = plant
    // Machines less loads of the whole grid: what branches lose and fixed shunts take.
    expect(sum).toBeCloseTo(solution.lossesMw, 6)
    base.generators.forEach(({ bus }, index) => {
      const isOnly = base.generators.filter((unit) => unit.bus === bus).length === 1
      if (!isOnly || base.loads.some((load) => load.bus === bus)) return
      const { pMw, qMvar } = must(solution.generators[index])
      expect(injectionAt(plant, base, bus)).toEqual({ pMw: expect.closeTo(pMw, 6), qMvar: expect.closeTo(qMvar, 6) })
    })
  })

  it('counts a shunt with the square of the voltage, capacitors as a source', () => {
    const base = findCase('case14')
    const plant: Plant = createPlant({ ...defaultConfiguration, case: 'case14' })
    const { branches } = plant.solution
    const idle: Plant = {
      ...plant,
      solution: {
        ...plant.solution,
        vmPu: plant.solution.vmPu.map(() => 0.5),
        branches: branches.map(() => ({ fromMw: 0, fromMvar: 0, toMw: 0, toMvar: 0, loadingMva: 0 })),
      },
    }
    // At half the voltage the capacitor of 19 MVAr feeds a quarter of that into a bus that sends nothing on.
    expect(injectionAt(idle, base, 9)).toEqual({ pMw: 0, qMvar: -19 / 4 })
    expect(injectionAt(idle, base, 10)).toEqual({ pMw: 0, qMvar: 0 })
  })
})

describe('rotationAt()', () => {
  const plant = createPlant({ ...defaultConfiguration, case: 'case9' })
  const island = { ...must(plant.frequency.islands[0]), frequencyHz: 59.9, rocofHzPerSecond: -0.2, angleRad: 1.5 }
  const turning = (change: Partial<typeof island>): Plant => ({
    ...plant,
    frequency: { islands: [{ ...island, ...change }] },
  })

  it('is that of the island of the bus', () => {
    expect(rotationAt(turning({}), 5)).toEqual({ frequencyHz: 59.9, rocofHzPerS: -0.2, angleRad: 1.5 })
  })

  it('goes on within the step: the angle by the frequency, the frequency by its rate of change', () => {
    // 59.9 Hz falling by 0.2 Hz/s, 50 ms later: 2 pi (-0.1 * 0.05 - 0.2 * 0.05^2 / 2).
    const { frequencyHz, angleRad } = rotationAt(turning({}), 5, { seconds: 0.05, f0Hz: 60 })
    expect(frequencyHz).toBeCloseTo(59.89, 12)
    expect(angleRad).toBeCloseTo(1.5 - 2 * Math.PI * 0.00525, 12)
  })

  it('is still at a dead bus and in an island that collapsed', () => {
    const still = { frequencyHz: 0, rocofHzPerS: 0, angleRad: 0 }
    expect(rotationAt(turning({ buses: [1, 2] }), 5)).toEqual(still)
    expect(rotationAt(turning({ collapsed: true }), 5)).toEqual(still)
  })
})
