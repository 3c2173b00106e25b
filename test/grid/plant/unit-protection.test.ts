/** Machines that trip on frequencies and voltages: their curves, and the order in which they trip. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { type Configuration, defaultConfiguration } from '#grid/configuration.ts'
import { createPlant, operateBreaker, stepPlant } from '#grid/plant/plant.ts'
import type { Plant } from '#grid/plant/state.ts'
import { frequencySeconds, voltageSeconds } from '#grid/plant/unit-protection.ts'

const configuration: Configuration = { ...defaultConfiguration, load_noise: 0, load_speed: 0, unit_protection: 'on' }

function run(plant: Plant, seconds: number, over: Partial<Configuration> = {}, hz?: number): readonly string[] {
  const events: string[] = []
  for (let step = 1; step <= seconds * 10; step++) {
    const measured = hz === undefined ? undefined : { bus: 2, hz }
    const result = stepPlant(plant, { ...configuration, ...over }, { step, random: createRandom(1, 'load'), measured })
    events.push(...result.events.map((text) => `${(step / 10).toFixed(1)} ${text}`))
  }
  return events
}

describe('frequencySeconds() and voltageSeconds()', () => {
  it.each([
    [60, Number.POSITIVE_INFINITY],
    [60.5, 602],
    [61, 112],
    [61.8, 0],
    [59.5, 1790],
    [58.5, 32.8],
    [57.8, 0],
  ])('bears %d Hz for %d s', (hertz, seconds) => {
    if (Number.isFinite(seconds))
      expect(frequencySeconds(hertz) / Math.max(seconds, 1)).toBeCloseTo(seconds > 0 ? 1 : 0, 1)
    else expect(frequencySeconds(hertz)).toBe(seconds)
  })

  it('bears no voltage for less time than the standard forbids a trip', () => {
    // Table of PRC-024 attachment 1: voltage in per unit, and the seconds without a trip.
    for (const [pu, least] of [
      [1.2, 0],
      [1.175, 0.2],
      [1.15, 0.5],
      [1.1, 1],
      [0.89, 3],
      [0.74, 2],
      [0.64, 0.3],
      [0.44, 0.15],
    ] as const) {
      expect(voltageSeconds(pu)).toBeGreaterThan(least)
    }
  })
})

describe('stepUnitProtection()', () => {
  it('trips a machine that lost its load at 62 Hz, which otherwise stays', () => {
    const lonely = (over: Partial<Configuration>) => {
      const plant = createPlant(configuration)
      for (const branch of [1, 2]) operateBreaker(plant, branch, false)
      return { events: run(plant, 3, over), plant }
    }
    expect(lonely({}).events.join()).toContain('the machine at bus 1 tripped on its frequency')
    expect(lonely({ unit_protection: 'off' }).events.join()).not.toContain('tripped')
  })

  it('ends what a false measurement of 59 Hz does to the frequency, one machine after the other', () => {
    const plant = createPlant(configuration)
    const events = run(plant, 900, {}, 59)
    const times = events.filter((text) => text.includes('tripped')).map((text) => Number(text.split(' ')[0]))
    expect(times.length).toBeGreaterThan(0)
    expect(new Set(times).size).toBe(times.length)
  })

  it('trips machines on a voltage that stays, and none in a grid in order', () => {
    const plant = createPlant(configuration)
    expect(run(plant, 60)).toEqual([])
    plant.setpoints = { 4: 1.19 }
    plant.isStale = true
    expect(run(plant, 3).join()).toMatch(/^0\.\d the machine at bus 8 tripped on its voltage/)
  })
})
