import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { openBranches } from '#grid/network/network.ts'
import {
  createRelayState,
  operatingSeconds,
  type RelaySetting,
  relaysFor,
  stepBreakerFailure,
  stepRelays,
  stepUnderVoltage,
} from '#grid/plant/protection.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'

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
  // Times at TMS 0.5, worked out by hand from the standard's equation.
  it.each([
    [2, 6.75],
    [5, 1.6875],
  ])('at %d times the pick-up is %d s', (multiple, seconds) => {
    expect(operatingSeconds(multiple)).toBeCloseTo(seconds, 3)
  })

  it('is infinite at or below the pick-up, and for a loading that is not a number', () => {
    expect([0, 0.5, 1, Number.NaN].map(operatingSeconds)).toEqual([Infinity, Infinity, Infinity, Infinity])
  })

  it('falls as the current grows', () => {
    const multiple = fc.double({ min: 1.01, max: 40, noNaN: true })
    fc.assert(
      fc.property(multiple, multiple, (low, high) => {
        fc.pre(low < high)
        expect(operatingSeconds(high)).toBeLessThanOrEqual(operatingSeconds(low))
      }),
      { seed: 60255 },
    )
  })
})

describe('stepRelays()', () => {
  const setting: RelaySetting = { branch: 1, pickupMva: 100 }

  it('trips a constant current after the time of its curve, to one step', () => {
    const tripped = tripTime(setting, () => 250) ?? 0
    expect(tripped - operatingSeconds(2.5)).toBeGreaterThanOrEqual(-1e-6)
    expect(tripped - operatingSeconds(2.5)).toBeLessThanOrEqual(0.1 + 1e-6)
  })

  it('adds up parts of the travel when the current varies', () => {
    // 6.75 s at twice the pick-up: half of it, then the other half at four times, 2.25 s.
    const tripped = tripTime(setting, (time) => (time < 3.3751 ? 200 : 400), 0.025)
    expect(tripped).toBeCloseTo(3.375 + 1.125, 1)
  })

  it('resets the disc at once below the pick-up', () => {
    const pulse = (time: number): number => (time < 4 || time > 6 ? 200 : 50)
    expect(tripTime(setting, pulse)).toBeCloseTo(6 + 6.75, 0)
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
  it('takes all at once below 0.7 pu, a quarter after ten seconds below 0.88 pu and every five, nothing at a dead bus', () => {
    let state = { seconds: [0, 0, 0, 0] as readonly number[] }
    const tripped: (readonly number[])[] = []
    for (let step = 1; step <= 210; step++) {
      const next = stepUnderVoltage(state, [1, 0.87, 0.69, 0], 0.1)
      for (const { bus, share } of next.trips) if (bus !== 2 || step === 1) tripped.push([bus, share, step])
      state = next.state
    }
    expect(tripped).toEqual([[2, 1, 1], ...[100, 150, 200].map((step) => [1, 0.25, step])])
  })

  it('resets after a dip that ends in time', () => {
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

  it('does not trip for a breaker that opened in time', () => {
    const first = stepBreakerFailure({ waiting: [] }, network, [14], 0.1)
    const opened = openBranches(network, new Set([14]))
    const second = stepBreakerFailure(first.state, opened, [], 0.5)
    expect(second).toEqual({ state: { waiting: [] }, failed: [], backups: [] })
  })
})
