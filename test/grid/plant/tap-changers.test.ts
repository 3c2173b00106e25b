/** Tap changers: they wait, step towards their voltage, stop in their band, and the control centre knows where they are. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import type { Plant } from '#grid/plant/state.ts'
import { stepTapChangers, tapChangers, tapRule, withTaps } from '#grid/plant/tap-changers.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import { runSteps, startWorld } from '../../support/grid-session.ts'
import { randomOf } from '../../support/random.ts'
import { sweep } from '../../support/sweep.ts'

const configuration: Configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0, tap_changers: 'on' }
const base = findCase('case14')

function run(plant: Plant, seconds: number, change: Partial<Configuration> = {}): readonly number[] {
  return [...Array(Math.round(seconds * 10)).keys()].flatMap((step) => {
    const set = { ...configuration, ...change }
    const { areTapsMoved } = stepPlant(plant, set, { step: step + 1, random: createRandom(1, 'load') })
    return areTapsMoved ? [(step + 1) / 10] : []
  })
}

describe('stepTapChangers()', () => {
  it('holds the voltages behind transformers that no machine holds, and rests at those of the case', () => {
    expect(tapChangers(base).map(({ branch }) => branch)).toEqual([8, 9])
    const plant = createPlant(configuration)
    expect([run(plant, 120), plant.taps]).toEqual([[], undefined])
  })

  it('steps after half a minute outside of the band and every five seconds, to the side that helps', () => {
    const plant = createPlant(configuration)
    plant.setpoints = Object.fromEntries(base.generators.map((_, machine) => [machine, 1]))
    plant.isStale = true
    const low = run(plant, 1).length
    const before = plant.solution.vmPu[8] ?? 0
    const moves = run(plant, 200)
    expect([low, moves[0], (moves[1] ?? 0) - (moves[0] ?? 0)]).toEqual([
      0,
      expect.closeTo(29.1, 6),
      expect.closeTo(5, 6),
    ])
    expect(plant.taps?.[9]).toBeLessThan(0)
    expect(plant.solution.vmPu[8]).toBeGreaterThan(before + 0.02)
  })

  it('does nothing where it is off, at an open transformer, at a dead bus, or at the end of its range', () => {
    const plant = createPlant(configuration)
    plant.setpoints = { 0: 0.9, 1: 0.9, 2: 0.9, 3: 0.9, 4: 0.9 }
    plant.isStale = true
    run(plant, 60, { tap_changers: 'off' })
    expect(plant).not.toHaveProperty('taps')
    plant.taps = { 8: -tapRule.mostSteps, 9: -tapRule.mostSteps }
    expect(run(plant, 60)).toEqual([])
    plant.taps = {}
    plant.open = [8, 9]
    expect(stepTapChangers({ plant, base, events: [] }, 100)).toBe(false)
    plant.open = []
    plant.solution = { ...plant.solution, vmPu: base.buses.map(() => 0) }
    expect(stepTapChangers({ plant, base, events: [] }, 100)).toBe(false)
  })

  it('after random events end within the band or their range, and do not hunt', () => {
    for (let seed = 1; seed <= sweep(40, 3); seed++) {
      const random = randomOf(seed)
      const plant = createPlant(configuration)
      for (let event = 0; event < 3; event++) {
        plant.loadScale = 0.7 + random() * 0.4
        operateBreaker(plant, 16 + Math.floor(random() * 5), random() < 0.5)
        plant.setpoints = { [Math.floor(random() * 5)]: 0.98 + random() * 0.1 }
        plant.isStale = true
        run(plant, random() * 60)
      }
      run(plant, 400)
      expect(run(plant, 120), `seed ${seed}`).toEqual([])
      for (const { branch, position, voltagePu } of tapChangers(base)) {
        const off = Math.abs((plant.solution.vmPu[position] ?? 0) - voltagePu)
        const isAtEnd = Math.abs(plant.taps?.[branch] ?? 0) === tapRule.mostSteps
        expect(off <= tapRule.deadBandPu || isAtEnd, `seed ${seed}: branch ${branch}`).toBe(true)
      }
    }
  })
})

describe('withTaps()', () => {
  it('is the network itself while nothing moved, and one value while nothing moves', () => {
    const taps = { 9: -2 }
    expect(withTaps(base, undefined)).toBe(base)
    expect(withTaps(base, taps)).toBe(withTaps(base, taps))
    expect(withTaps(base, taps).branches[8]?.ratio).toBeCloseTo((base.branches[8]?.ratio ?? 0) - 0.0125, 12)
  })

  it('is the network of the control centre, which takes no tap for bad data', () => {
    const world = startWorld({ tap_changers: 'on', load_speed: 0 })
    for (const bus of [1, 2, 3, 6, 8]) applyCommand(world, { kind: 'generator', step: 0, bus, v_pu: 1.01 })
    runSteps(world, 1_200)
    expect(world.plant.taps?.[9]).toBeLessThan(0)
    expect(world.view.estimate?.suspicious).toBe(false)
    expect(world.view.alarms).toEqual([])
  })
})
