/** Faults of lines: cleared at once, closed again once, and left to the operator where they last. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { addFault, cancelReclosing, reclosingRule, stepFaults } from '#grid/plant/faults.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import type { Plant } from '#grid/plant/state.ts'
import { refuseClosing } from '#grid/plant/synchronism.ts'
import { randomOf } from '../../support/random.ts'
import { sweep } from '../../support/sweep.ts'

const configuration: Configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0 }
const base = findCase('case14')

/** Runs seconds with breakers that obey; returns the movements of one branch as seconds with a sign: closed or open. */
function run(plant: Plant, seconds: number, branch = 0): { readonly moves: readonly number[]; events: string[] } {
  const moves: number[] = []
  const events: string[] = []
  for (let step = 1; step <= Math.round(seconds * 10); step++) {
    const result = stepPlant(plant, configuration, { step, random: createRandom(1, 'load') })
    events.push(...result.events)
    for (const number of result.trips) {
      if (operateBreaker(plant, number, false) && number === branch) moves.push(-step / 10)
    }
    for (const { branch: number } of result.closings) {
      if (refuseClosing(plant, base, number) !== undefined) continue
      if (operateBreaker(plant, number, true) && number === branch) moves.push(step / 10)
    }
  }
  return { moves, events }
}

describe('stepFaults()', () => {
  it('clears a passing fault in the step of its beginning, and closes the line after its dead time', () => {
    const plant = createPlant(configuration)
    addFault(plant, 3, 0.5)
    const { moves, events } = run(plant, 40, 3)
    expect(moves).toEqual([-0.1, 1.2])
    expect([plant.open, plant.faults, events]).toEqual([[], undefined, []])
  })

  it('lets the voltages dip until the breaker opens, and takes no load', () => {
    const plant = createPlant(configuration)
    const before = plant.solution
    addFault(plant, 3, 0.5)
    const { trips } = stepPlant(plant, configuration, { step: 1, random: createRandom(1, 'load') })
    expect([trips, Math.min(...plant.solution.vmPu) < 0.6, plant.shed]).toEqual([[3], true, {}])
    operateBreaker(plant, 3, false)
    run(plant, 5)
    expect([plant.open, plant.dip, plant.shed]).toEqual([[], undefined, {}])
    plant.solution.vmPu.forEach((vm, bus) => {
      expect(vm).toBeCloseTo(before.vmPu[bus] ?? 0, 4)
    })
  })

  it('leaves load near a fault to the under-voltage relays where no breaker clears it within 0.4 s', () => {
    const plant = createPlant(configuration)
    addFault(plant, 3, 2)
    const lostAt = Array.from({ length: 8 }, (_, step) => {
      stepPlant(plant, configuration, { step: step + 1, random: createRandom(1, 'load') })
      return Object.keys(plant.shed).length
    })
    expect(lostAt.slice(0, 4)).toEqual([0, 0, 0, expect.any(Number)])
    expect(lostAt[3]).toBeGreaterThan(0)
    expect(plant.shed).toMatchObject({ 2: 1, 3: 1 })
  })

  it('closes on a lasting fault once, then leaves the line to the operator, whose order meets it again', () => {
    const plant = createPlant(configuration)
    addFault(plant, 3, 60)
    const { moves, events } = run(plant, 50, 3)
    expect(moves).toEqual([-0.1, 1.2, -1.3])
    expect(events).toEqual(['branch 3 stays open after its fault, for the operator to close'])
    operateBreaker(plant, 3, true)
    expect(run(plant, 5, 3).moves).toEqual([-0.1])
    run(plant, 10)
    operateBreaker(plant, 3, true)
    expect(run(plant, 40, 3).moves).toEqual([])
    expect(plant.faults).toBeUndefined()
  })

  it('closes again after a second fault only where the first was half a minute ago', () => {
    for (const [wait, left] of [
      [10, [3]],
      [40, []],
    ] as const) {
      const plant = createPlant(configuration)
      addFault(plant, 3, 0.5)
      run(plant, wait)
      addFault(plant, 3, 0.5)
      run(plant, 10)
      expect(plant.open).toEqual(left)
    }
  })

  it('closes no transformer, and no line that the operator ordered in between', () => {
    const plant = createPlant(configuration)
    const transformer = base.branches.find(({ ratio }) => ratio !== 1)?.number ?? 0
    addFault(plant, transformer, 0.5)
    addFault(plant, 3, 0.5)
    run(plant, 0.5)
    cancelReclosing(plant, 3, true)
    run(plant, 20)
    expect(plant.open).toEqual([3, transformer])
  })

  it('closes no line that was open before its fault, or that the operator opened while it was dead or watched', () => {
    const plant = createPlant(configuration)
    operateBreaker(plant, 3, false)
    addFault(plant, 3, 0.5)
    expect(run(plant, 20, 3)).toEqual({ moves: [], events: [] })
    const dead = createPlant(configuration)
    dead.solution = { ...dead.solution, vmPu: base.buses.map(() => 0) }
    addFault(dead, 3, 60)
    cancelReclosing(dead, 3, false)
    operateBreaker(dead, 3, false)
    expect(run(dead, 20, 3)).toEqual({ moves: [], events: [] })
    const watched = createPlant(configuration)
    addFault(watched, 3, 0.5)
    expect(run(watched, 5, 3).moves).toEqual([-0.1, 1.2])
    cancelReclosing(watched, 3, false)
    operateBreaker(watched, 3, false)
    expect(run(watched, 20, 3)).toEqual({ moves: [], events: [] })
  })

  it('orders a line open for as long as a fault burns and its breaker does not move, and a dead line never', () => {
    const plant = createPlant(configuration)
    addFault(plant, 3, 1)
    const orders = [...Array(20).keys()].map(() => stepFaults({ plant, base, events: [] }).trips.length)
    expect(orders).toEqual([...Array(10).fill(1), ...Array(10).fill(0)])
    const failing = createPlant(configuration)
    addFault(failing, 3, 1)
    const trips = [1, 2, 3].map(
      (step) => stepPlant(failing, configuration, { step, random: createRandom(1, 'load') }).trips,
    )
    // Branch 3 joins buses 2 and 3: breaker failure protection opens what else ends there.
    expect(trips).toEqual([[3], [3], [3, 1, 4, 5, 6]])
    plant.solution = { ...plant.solution, vmPu: base.buses.map(() => 0) }
    addFault(plant, 3, 1)
    expect(stepFaults({ plant, base, events: [] }).trips).toEqual([])
  })
})

describe('random faults', () => {
  it('burn on no live line, end, and leave each line closed or to the operator; all of the load returns', () => {
    for (let seed = 1; seed <= sweep(40, 4); seed++) {
      const random = randomOf(seed)
      const plant = createPlant(configuration)
      for (let event = 0; event < 5; event++) {
        addFault(plant, Math.floor(random() * base.branches.length) + 1, random() < 0.5 ? 0.5 : random() * 30)
        run(plant, random() * 15)
        for (const { branch, seconds } of plant.faults ?? []) {
          if (seconds > 0 && !plant.open.includes(branch)) run(plant, 0.2)
          const still = plant.faults?.find((fault) => fault.branch === branch && fault.seconds > 0)
          if (still !== undefined) expect(plant.open, `seed ${seed}`).toContain(branch)
        }
      }
      run(plant, reclosingRule.reclaimSeconds + 35)
      expect(plant.faults, `seed ${seed}`).toBeUndefined()
      for (let turn = 0; turn < 30 && (plant.open.length > 0 || Object.keys(plant.shed).length > 0); turn++) {
        for (const branch of plant.open) {
          if (refuseClosing(plant, base, branch) === undefined) operateBreaker(plant, branch, true)
          else plant.synchronizer ??= { branch, seconds: 0 }
        }
        run(plant, 60)
      }
      expect(plant.solution.servedMw, `seed ${seed}`).toBeCloseTo(plant.solution.demandMw, 6)
    }
  })
})
