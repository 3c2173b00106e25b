/** The relays of the plant: loads that trip, branches that are to open, and neighbours of a breaker that does not. */

import { describe, expect, it } from 'vitest'
import { defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { createPlant } from '#grid/plant/plant.ts'
import { stepProtection } from '#grid/plant/plant-protection.ts'
import type { Plant } from '#grid/plant/state.ts'

const base = findCase('case9')
const configuration = { ...defaultConfiguration, case: 'case9', pickup: 'secure' } as const

/** A plant with one branch at many times its pick-up, or with other voltages. */
function plantWith(change: { overloaded?: number; vmPu?: number }): Plant {
  const plant = createPlant(configuration)
  const { solution } = plant
  return {
    ...plant,
    solution: {
      ...solution,
      vmPu: change.vmPu === undefined ? solution.vmPu : solution.vmPu.map(() => change.vmPu ?? 1),
      branches: solution.branches.map((flow, index) =>
        index + 1 === change.overloaded ? { ...flow, loadingMva: 1e6 } : flow,
      ),
    },
  }
}

/** Runs steps of 100 ms until a branch is to open, at most ten seconds. */
function untilTrip(plant: Plant, events: string[] = []): { steps: number; trips: readonly number[] } {
  for (let steps = 1; steps <= 100; steps++) {
    const trips = stepProtection({ plant, configuration, base, events }, [])
    if (trips.length > 0) return { steps, trips }
  }
  return { steps: 100, trips: [] }
}

describe('stepProtection()', () => {
  it('opens no branch and trips no load of a grid in order', () => {
    const events: string[] = []
    const plant = createPlant(configuration)
    expect(untilTrip(plant, events).trips).toEqual([])
    expect([events, plant.shed, plant.breakerFailure]).toEqual([[], {}, undefined])
  })

  it('trips every load at once below the instantaneous stage, and reports it once', () => {
    const plant = plantWith({ vmPu: 0.2 })
    const events: string[] = []
    stepProtection({ plant, configuration, base, events }, [])
    stepProtection({ plant, configuration, base, events }, [])
    expect(plant.shed).toEqual(Object.fromEntries(base.loads.map(({ bus }) => [bus, 1])))
    expect(events).toEqual(base.loads.map(({ bus }) => `under-voltage took 100 % of the load at bus ${bus}`))
    expect(plant.isStale).toBe(true)
  })

  it('takes the load of low buses in four stages, and stops where the voltage is back', () => {
    const plant = plantWith({ vmPu: 0.85 })
    const first = base.loads[0]?.bus ?? 0
    const shares = [...Array(301).keys()].map(() => {
      stepProtection({ plant, configuration, base, events: [] }, [])
      return plant.shed[first] ?? 0
    })
    expect([98, 99, 149, 199, 249, 300].map((step) => shares[step])).toEqual([0, 0.25, 0.5, 0.75, 1, 1])
    const saved = plantWith({ vmPu: 0.85 })
    for (let step = 0; step < 120; step++) stepProtection({ plant: saved, configuration, base, events: [] }, [])
    saved.solution = createPlant(configuration).solution
    for (let step = 0; step < 200; step++) stepProtection({ plant: saved, configuration, base, events: [] }, [])
    expect(saved.shed).toEqual(Object.fromEntries(base.loads.map(({ bus }) => [bus, 0.25])))
  })

  it('opens an overloaded branch, but not where over-current relays are off', () => {
    expect(untilTrip(plantWith({ overloaded: 4 })).trips).toEqual([4])
    const plant = plantWith({ overloaded: 4 })
    for (let step = 0; step < 100; step++) {
      expect(
        stepProtection({ plant, configuration: { ...configuration, pickup: 'off' }, base, events: [] }, []),
      ).toEqual([])
    }
  })

  it('does not order a branch open that is open', () => {
    const plant = { ...plantWith({ overloaded: 4 }), open: [4] }
    expect(untilTrip(plant).trips).toEqual([])
  })

  it('orders the neighbours of a breaker open that is shut 0.2 s after its trip', () => {
    const plant = plantWith({ overloaded: 4 })
    const events: string[] = []
    untilTrip(plant, events)
    const calm = createPlant(configuration).solution
    plant.solution = calm
    const backups = [1, 2, 3].map(() => stepProtection({ plant, configuration, base, events }, []))
    const branch = base.branches.find(({ number }) => number === 4)
    const ends = [branch?.from, branch?.to]
    const neighbours = base.branches
      .filter(({ number, from, to }) => number !== 4 && (ends.includes(from) || ends.includes(to)))
      .map(({ number }) => number)
    expect([...backups.flat()].sort()).toEqual(neighbours)
    expect(events).toEqual(['the breaker of branch 4 did not open; breaker failure protection acts around it'])
    expect(plant.breakerFailure).toBeUndefined()
  })
})
