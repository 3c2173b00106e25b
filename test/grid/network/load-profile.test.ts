import { describe, expect, it } from 'vitest'
import { createRandom } from '#base/random.ts'
import { hourlyPercent, profileShare, stepLoadNoise } from '#grid/network/load-profile.ts'
import vectors from '../../vectors/grid-load-profile.json' with { type: 'json' }

describe('profileShare()', () => {
  it('holds the tables of the reliability test system', () => {
    const {
      source: _source,
      daily_pct_of_weekly_peak: _weekly,
      origin: _origin,
      ...tables
    } = { origin: '', ...vectors }
    expect(hourlyPercent).toEqual(tables)
  })

  it('is linear between hours, closes the day and takes whole days off', () => {
    expect(profileShare('winter_weekday', 0)).toBe(0.67)
    expect(profileShare('winter_weekday', 5.5 * 3600)).toBeCloseTo(0.67, 12)
    expect(profileShare('winter_weekday', 23.5 * 3600)).toBeCloseTo(0.65, 12)
    expect(profileShare('summer_weekend', 86_400 * 3 + 20 * 3600)).toBe(1)
    expect(profileShare('summer_weekend', -3600)).toBeCloseTo(0.8, 12)
  })
})

describe('stepLoadNoise()', () => {
  it.each([0.1, 1, 30])('keeps its deviation and decays with its time constant at steps of %d s', (dt) => {
    const random = createRandom(11, 'load')
    const count = 200_000
    let noise = 0
    let square = 0
    let product = 0
    for (let step = 0; step < count; step++) {
      const next = stepLoadNoise(noise, dt, random)
      square += next * next
      product += next * noise
      noise = next
    }
    const tolerance = dt < 1 ? 0.25 : 0.1
    expect(Math.abs(Math.sqrt(square / count) / 0.005 - 1)).toBeLessThan(tolerance)
    expect(product / square).toBeCloseTo(Math.exp(-dt / 60), 2)
  })
})
