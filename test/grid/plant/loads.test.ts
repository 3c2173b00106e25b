/** Loads of the plant: profile, noise and scale, and a load that follows the voltage. */

import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { defaultConfiguration } from '#grid/configuration.ts'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { profileShare } from '#grid/network/load-profile.ts'
import { totalLoadMw } from '#grid/network/network.ts'
import { plantNetwork, profileFactor, stepBusNoise } from '#grid/plant/loads.ts'
import { presentNetwork } from '#grid/plant/moment-network.ts'
import { createPlant, stepPlant } from '#grid/plant/plant.ts'

const configuration = { ...defaultConfiguration, case: 'case14', load_noise: 0 } as const
const base = findCase('case14')
const plant = createPlant(configuration)

describe('profileFactor()', () => {
  const at = (step: number, change: object = {}, noise = 0, loadScale = 1) =>
    profileFactor({ ...plant, noise, loadScale }, { ...configuration, ...change }, step)

  it('is the profile at the hour of the start, and a second later for ten steps', () => {
    const { day } = configuration
    expect(at(0, { start_hour: 6 })).toBe(profileShare(day, 6 * 3600))
    expect(at(36_000, { start_hour: 6, load_speed: 1 })).toBeCloseTo(profileShare(day, 7 * 3600), 12)
    expect(at(600, { start_hour: 6, load_speed: 60 })).toBeCloseTo(profileShare(day, 7 * 3600), 12)
  })

  it('rests where the load does not move', () => {
    expect(at(1e6, { start_hour: 6, load_speed: 0 })).toBe(at(0, { start_hour: 6 }))
  })

  it('multiplies noise and the scale of the operator', () => {
    expect(at(0, {}, 0.02, 1.5)).toBeCloseTo(at(0) * 1.02 * 1.5, 12)
  })
})

describe('stepBusNoise()', () => {
  it('gives each load its own noise of the deviation that is set, the same for the same seed', () => {
    const noisy = { ...configuration, bus_noise: 0.02 }
    const one = { ...plant }
    const values: number[][] = base.loads.map(() => [])
    for (let step = 0; step < 30_000; step += 10) {
      one.busNoise = stepBusNoise(one, noisy, base, step)
      for (const [load, value] of (one.busNoise ?? []).entries()) values[load]?.push(value)
    }
    const [first = [], second = []] = values
    const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length
    expect(Math.sqrt(mean(first.map((value) => value ** 2)))).toBeCloseTo(0.02, 2)
    const together = mean(first.map((value, at) => value * (second[at] ?? 0))) / 0.02 ** 2
    expect(Math.abs(together)).toBeLessThan(0.5)
    const again = { ...plant }
    for (let step = 0; step < 30_000; step += 10) again.busNoise = stepBusNoise(again, noisy, base, step)
    expect(again.busNoise).toEqual(one.busNoise)
    const calm = createPlant(configuration)
    stepPlant(calm, configuration, { step: 0, random: createRandom(1, 'load') })
    expect(calm).not.toHaveProperty('busNoise')
  })
})

describe('plantNetwork()', () => {
  it('lets loads follow the voltage: a lower one takes less, and nothing counts as lost', () => {
    const zip = { ...configuration, load_model: 'zip', load_speed: 0, agc_gain: 0 } as const
    const running = createPlant(zip)
    const before = running.solution
    running.setpoints = Object.fromEntries(base.generators.map((_, machine) => [machine, 0.95]))
    running.isStale = true
    for (let step = 1; step <= 100; step++) stepPlant(running, zip, { step, random: createRandom(1, 'load') })
    const { servedMw, demandMw } = running.solution
    expect(servedMw / before.servedMw).toBeLessThan(0.95)
    expect(servedMw).toBeCloseTo(demandMw, 6)
    // Less load: the frequency is above nominal, because the governors see it.
    expect(running.frequency.islands[0]?.frequencyHz).toBeGreaterThan(60.02)
    expect(plantNetwork(zip)).toBe(plantNetwork({ ...zip, seed: 2 }))
    expect(plantNetwork(configuration)).toBe(base)
    const present = presentNetwork(running, zip, 100)
    expect(present.loadModel).toBeUndefined()
    expect(totalLoadMw(present)).toBeCloseTo(servedMw, 6)
  })
})
