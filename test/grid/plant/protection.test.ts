import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { openBranches } from '#grid/network/network.ts'
import {
  type CurveName,
  createRelayState,
  curves,
  operatingSeconds,
  type RelaySetting,
  relaysFor,
  stepBreakerFailure,
  stepRelays,
  stepUnderVoltage,
} from '#grid/plant/protection.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'

const names = Object.keys(curves) as CurveName[] // the keys of a constant are its own names

/** Runs one relay and returns after how long it trips, or undefined. */
function tripTime(setting: RelaySetting, loading: (time: number) => number, dt = 0.1, most = 400) {
  let state = createRelayState([setting])
  for (let step = 1; step * dt <= most; step++) {
    const next = stepRelays(state, [setting], [loading(step * dt)], dt)
    if (next.trips.length > 0) return step * dt
    state = JSON.parse(JSON.stringify(next.state))
  }
  return undefined
}

describe('operatingSeconds()', () => {
  it.each([
    // Times at TMS or TD of 1, worked out by hand from the standards' equations.
    ['iec_standard_inverse', 2, 10.0291],
    ['iec_standard_inverse', 10, 2.9706],
    ['iec_very_inverse', 2, 13.5],
    ['iec_very_inverse', 5, 3.375],
    ['iec_extremely_inverse', 2, 26.6667],
    ['iec_extremely_inverse', 10, 0.8081],
    ['iec_long_time_inverse', 2, 120],
    ['ieee_moderately_inverse', 2, 3.8033],
    ['ieee_very_inverse', 2, 7.0277],
    ['ieee_extremely_inverse', 2, 9.5217],
    ['ieee_extremely_inverse', 10, 0.4065],
  ] as const)('of %s at %d times the pick-up is %d s', (name, multiple, seconds) => {
    expect(operatingSeconds(curves[name], multiple, 1)).toBeCloseTo(seconds, 3)
  })

  it('is infinite at or below the pick-up, and for a loading that is not a number', () => {
    for (const name of names) {
      for (const multiple of [0, 0.5, 1, Number.NaN]) {
        expect(operatingSeconds(curves[name], multiple, 1)).toBe(Infinity)
      }
    }
  })

  it('falls as the current grows and is proportional to the time setting', () => {
    const multiple = fc.double({ min: 1.01, max: 40, noNaN: true })
    fc.assert(
      fc.property(fc.constantFrom(...names), multiple, multiple, (name, low, high) => {
        fc.pre(low < high)
        const curve = curves[name]
        expect(operatingSeconds(curve, high, 1)).toBeLessThanOrEqual(operatingSeconds(curve, low, 1))
        expect(operatingSeconds(curve, low, 3)).toBeCloseTo(3 * operatingSeconds(curve, low, 1), 6)
      }),
      { seed: 60255 },
    )
  })
})

describe('stepRelays()', () => {
  it.each(names)('trips a constant current after the time of %s, to one step', (curve) => {
    const setting: RelaySetting = { branch: 1, curve, timeSetting: 0.5, pickupMva: 100 }
    const expected = operatingSeconds(curves[curve], 2.5, 0.5)
    const tripped = tripTime(setting, () => 250) ?? 0
    expect(tripped - expected).toBeGreaterThanOrEqual(-1e-6)
    expect(tripped - expected).toBeLessThanOrEqual(0.1 + 1e-6)
  })

  it('adds up parts of the travel when the current varies', () => {
    const setting: RelaySetting = { branch: 1, curve: 'iec_very_inverse', timeSetting: 0.5, pickupMva: 100 }
    // 6.75 s at twice the pick-up: half of it, then the other half at four times, 2.25 s.
    const tripped = tripTime(setting, (time) => (time < 3.3751 ? 200 : 400), 0.025)
    expect(tripped).toBeCloseTo(3.375 + 1.125, 1)
  })

  it('resets an IEC disc at once and an IEEE disc slowly below the pick-up', () => {
    const pulse = (time: number): number => (time < 4 || time > 6 ? 200 : 50)
    const iec: RelaySetting = { branch: 1, curve: 'iec_very_inverse', timeSetting: 0.5, pickupMva: 100 }
    expect(tripTime(iec, pulse)).toBeCloseTo(6 + 6.75, 0)
    const ieee: RelaySetting = { branch: 1, curve: 'ieee_very_inverse', timeSetting: 1, pickupMva: 100 }
    // Travel 4 / 7.028, back by 2 * 0.75 / 21.6, then the rest.
    expect(tripTime(ieee, pulse)).toBeCloseTo(6 + 7.0277 - 4 + (7.0277 * 1.5) / 21.6, 0)
  })

  it('trips nothing in any base case or after any single outage with the secure pick-ups', () => {
    const network = findCase('case14')
    const settings = relaysFor(network)
    for (const { number } of network.branches) {
      const outage = solvePowerFlow(openBranches(network, new Set([number])))
      const loadings = outage.branches.map(({ loadingMva }) => loadingMva)
      expect(stepRelays(createRelayState(settings), settings, loadings, 1000).trips).toEqual([])
    }
  })
})

describe('stepUnderVoltage()', () => {
  it('trips at once below 0.7 pu, after ten seconds below 0.88 pu, and never at a dead bus', () => {
    let state = { seconds: [0, 0, 0, 0] as readonly number[] }
    const tripped: [number, number][] = []
    for (let step = 1; step <= 110; step++) {
      const next = stepUnderVoltage(state, [1, 0.87, 0.69, 0], 0.1)
      for (const bus of next.trips) if (bus !== 2 || step === 1) tripped.push([bus, step])
      state = next.state
    }
    expect(tripped).toEqual([
      [2, 1],
      [1, 100],
    ])
  })

  it('forgets a dip that ends in time', () => {
    let state = { seconds: [0] as readonly number[] }
    for (let step = 0; step < 300; step++) {
      const next = stepUnderVoltage(state, [step % 90 === 0 ? 0.95 : 0.8], 0.1)
      expect(next.trips).toEqual([])
      state = next.state
    }
  })
})

describe('stepBreakerFailure()', () => {
  const network = findCase('case14')

  it('opens the neighbours of a breaker that is still shut 0.2 s after its trip order', () => {
    const first = stepBreakerFailure({ waiting: [] }, network, [14], 0.1)
    const second = stepBreakerFailure(first.state, network, [], 0.1)
    const third = stepBreakerFailure(second.state, network, [], 0.1)
    expect([first.backups, second.backups]).toEqual([[], []])
    // Branch 14 joins 7 and 8; 4-7 and 7-9 remain at bus 7.
    expect(third).toMatchObject({ failed: [14], backups: [8, 15], state: { waiting: [] } })
  })

  it('leaves a breaker alone that opened in time', () => {
    const first = stepBreakerFailure({ waiting: [] }, network, [14], 0.1)
    const opened = openBranches(network, new Set([14]))
    const second = stepBreakerFailure(first.state, opened, [], 0.5)
    expect(second).toEqual({ state: { waiting: [] }, failed: [], backups: [] })
  })
})
