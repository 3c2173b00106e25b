/** Breakers between two islands: refused out of step, closed in step, closed all the same with the consequence. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import type { Plant } from '#grid/plant/state.ts'
import { loseStep, measureSynchronism, refuseClosing, synchronismLimits } from '#grid/plant/synchronism.ts'

const configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0, pickup: 'off' } as const
const base = findCase('case14')
const tie = 1

/** Case14 with its second machine apart from the rest, on half of the load. */
function dividedPlant(): Plant {
  const plant = createPlant(configuration)
  plant.loadScale = 0.5
  for (const branch of [1, 3, 4, 5]) operateBreaker(plant, branch, false)
  return plant
}

/** Runs steps; the synchronizer's breaker closes as the engine closes it. */
function run(plant: Plant, steps: number) {
  const events: string[] = []
  let closedAt: number | undefined
  for (let step = 1; step <= steps; step++) {
    const result = stepPlant(plant, configuration, { step, random: createRandom(1, 'load') })
    events.push(...result.events)
    for (const { branch } of result.closings) {
      closedAt = step
      expect(refuseClosing(plant, base, branch)).toBeUndefined()
      operateBreaker(plant, branch, true)
    }
  }
  return { events, closedAt }
}

describe('measureSynchronism()', () => {
  it('needs no synchronism inside one island and towards a dead bus', () => {
    const plant = createPlant(configuration)
    operateBreaker(plant, 1, false)
    run(plant, 10)
    expect(measureSynchronism(plant, base, 1)).toBeUndefined()
    operateBreaker(plant, 14, false)
    run(plant, 10)
    expect(measureSynchronism(plant, base, 14)).toBeUndefined()
  })

  it('measures slip and angle between two islands, and the angle turns with the slip', () => {
    const plant = dividedPlant()
    run(plant, 20)
    const before = measureSynchronism(plant, base, tie)
    run(plant, 1)
    const after = measureSynchronism(plant, base, tie)
    const turned = (((after?.angleDeg ?? 0) - (before?.angleDeg ?? 0) + 540) % 360) - 180
    expect(turned).toBeCloseTo(((before?.slipHz ?? 0) + (after?.slipHz ?? 0)) * 180 * 0.1, 0)
    expect(Math.abs(after?.slipHz ?? 0)).toBeGreaterThan(synchronismLimits.slipHz)
  })
})

describe('refuseClosing()', () => {
  it('refuses two islands that are out of step, with all three differences', () => {
    const plant = dividedPlant()
    run(plant, 20)
    expect(refuseClosing(plant, base, tie)).toMatch(
      /^the sides differ by -?[\d.]+ deg, -?[\d.]+ Hz and -?[\d.]+ pu, expected at most 20 deg, 0.1 Hz and 0.1 pu$/,
    )
  })
})

describe('stepSynchronizer()', () => {
  it('steers the lighter island until the angle has closed, and names the breaker', () => {
    const plant = dividedPlant()
    run(plant, 300)
    plant.synchronizer = { branch: tie, seconds: 0 }
    const { closedAt, events } = run(plant, 1200)
    expect(closedAt, events.join()).toBeGreaterThan(1)
    expect(plant.frequency.islands).toHaveLength(1)
    expect(plant.synchronizer).toBeUndefined()
  })

  it('gives up after two minutes, and says what differs', () => {
    const plant = dividedPlant()
    run(plant, 20)
    // No frequency helps a voltage that is too far away.
    plant.setpoints = { 1: 0.82 }
    plant.isStale = true
    plant.synchronizer = { branch: tie, seconds: 0 }
    const { events, closedAt } = run(plant, 1201)
    expect(closedAt).toBeUndefined()
    expect(events).toContainEqual(expect.stringMatching(/^the synchronizer of branch 1 gave up: .* pu, expected/))
  })
})

describe('loseStep()', () => {
  it.each([
    ['trips the machines of the lighter island far out of step', 2, [1]],
    ['lets islands pull together that are a little out of step', 0.6, []],
  ])('%s', (_, angleRad, lost) => {
    const plant = dividedPlant()
    run(plant, 20)
    const check = measureSynchronism(plant, base, tie)
    const [rest, alone] = plant.frequency.islands
    if (rest === undefined || alone === undefined) throw new Error('expected two islands')
    const turn = angleRad - ((check?.angleDeg ?? 0) * Math.PI) / 180
    plant.frequency = {
      islands: [
        { ...rest, angleRad: rest.angleRad + turn },
        { ...alone, frequencyHz: rest.frequencyHz },
      ],
    }
    const loss = loseStep(plant, base, tie)
    expect(plant.lostMachines.map(({ generator }) => generator)).toEqual(lost)
    expect(loss !== undefined).toBe(lost.length > 0)
  })
})
