import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { type Network, openBranches, totalLoadMw } from '#grid/network/network.ts'
import { stepFrequency } from '#grid/plant/frequency.ts'
import {
  applyFrequency,
  createFrequencyState,
  type FrequencyState,
  followIslands,
  islandAt,
} from '#grid/plant/frequency-islands.ts'
import { frequencySettings } from '#grid/plant/frequency-settings.ts'
import { solvePowerFlow } from '#grid/power-flow/power-flow.ts'
import vectors from '../../vectors/grid-frequency.json' with { type: 'json' }

/** Gain of the secondary control per second: none, and the default of a session. */
const [withoutAgc, usualGain] = [0, 0.05]
const dt = 0.1

/** Trips units or adds load one second after the start and follows the frequency for a while. */
function run(network: Network, options: { trip?: readonly number[]; addMw?: number; seconds?: number; tick?: number }) {
  const { trip = [], addMw = 0, seconds = 60, tick = dt } = options
  const flow = solvePowerFlow(network)
  const tripped = {
    ...network,
    generators: network.generators.map((unit) => ({ ...unit, inService: !trip.includes(unit.bus) })),
  }
  const loadMw = totalLoadMw(network)
  let state = createFrequencyState(network, flow)
  const samples: [number, number][] = [[0, 60]]
  for (let step = 1; step <= Math.round(seconds / tick); step++) {
    const happened = step > 1 / tick
    const input = { loadMw, lossesMw: flow.lossesMw + (happened ? addMw : 0) }
    state = stepFrequency(state, happened ? tripped : network, {
      dtSeconds: tick,
      inputs: [input],
      agcGainPerSecond: withoutAgc,
    })
    samples.push([step * tick, state.islands[0]?.frequencyHz ?? Number.NaN])
  }
  const [nadirTime, nadir] = samples.reduce((low, sample) => (sample[1] < low[1] ? sample : low))
  return { samples, nadir, nadirTime, final: samples.at(-1)?.[1] ?? 0, island: state.islands[0], loadMw }
}

/** The bounds of acceptance: 0.02 Hz, 0.2 s, 1 %. */
const near = (actual: number, expected: number, tolerance: number): void => {
  expect(Math.abs(actual - expected), `${actual} for ${expected}`).toBeLessThanOrEqual(tolerance)
}

describe('stepFrequency() of case14', () => {
  const network = findCase('case14')

  it.each([
    ['a step of 25.9 MW', vectors['case14_load_step_25.9MW'], { addMw: 25.9 }],
    ['the trip of the unit at bus 2', vectors.case14_trip_G2_40MW, { trip: [2] }],
  ])('follows the reference curve after %s', (_, vector, event) => {
    const { samples, nadir, nadirTime, final } = run(network, event)
    near(final, vector.final_hz, 0.002)
    near(nadir, vector.nadir_hz, 0.004)
    near(nadirTime, vector.nadir_t_s, 0.1)
    for (const [time = 0, hertz = 0] of vector.samples) {
      near(samples[Math.round(time / dt)]?.[1] ?? 0, hertz, 0.006)
    }
    near(((samples[11]?.[1] ?? 0) - 60) / dt, vector.initial_rocof_hz_s, 0.01)
  })

  it('turns the angle by the integral of the deviation', () => {
    const { samples, island } = run(network, { addMw: 25.9, seconds: 3 })
    let integral = 0
    samples.forEach(([, hertz], index) => {
      const before = samples[index - 1]?.[1] ?? 60
      if (index > 0) integral += (2 * Math.PI * dt * (hertz + before - 120)) / 2
    })
    expect(island?.angleRad).toBeCloseTo(integral, 2)
  })

  it('stays constant in balance', () => {
    const { final, nadir } = run(network, {})
    expect(final).toBeCloseTo(60, 9)
    expect(nadir).toBeCloseTo(60, 9)
  })
})

describe('stepFrequency() of case39', () => {
  it.each(vectors.runs)('sheds as the reference does: $name', (vector) => {
    const { nadir, nadirTime, final, island, loadMw } = run(findCase('case39'), {
      trip: vector.trip,
      // At 3 Hz/s the nadir falls between two ticks of 100 ms; here every sub-step is looked at.
      tick: frequencySettings.substepSeconds,
    })
    near(nadir, vector.nadir_hz, 0.02)
    near(nadirTime, vector.nadir_t_s, 0.2)
    near(final, vector.final_hz, 0.02)
    near((island?.shedShare ?? 0) * loadMw, vector.shed_mw, 0.01 * vector.shed_mw)
    expect(island?.stageSeconds.filter((seconds) => seconds === null)).toHaveLength(vector.stages)
  })
})

describe('secondary control', () => {
  const network = findCase('case14')
  const flow = solvePowerFlow(network)

  const settle = (measure: (hertz: number) => number, seconds: number, addMw: number): FrequencyState => {
    let state = createFrequencyState(network, flow)
    for (let step = 0; step < seconds / dt; step++) {
      const measuredHz = measure(state.islands[0]?.frequencyHz ?? 60)
      const input = { loadMw: totalLoadMw(network), lossesMw: flow.lossesMw + addMw, measuredHz }
      state = stepFrequency(state, network, { dtSeconds: dt, inputs: [input], agcGainPerSecond: usualGain })
    }
    return state
  }

  it('brings the frequency back to nominal after a step', () => {
    expect(settle((hertz) => hertz, 300, 25.9).islands[0]?.frequencyHz).toBeCloseTo(60, 3)
  })

  it('settles where the measurement is 60 Hz, so a false measurement moves the grid', () => {
    expect(settle((hertz) => hertz + 0.05, 300, 0).islands[0]?.frequencyHz).toBeCloseTo(59.95, 3)
  })
})

describe('followIslands()', () => {
  const network = findCase('case39')
  // Bus 38 with its unit and bus 29 hang on 26-29 and 28-29.
  const split = openBranches(
    network,
    new Set(
      network.branches.filter(({ from, to }) => (from === 26 || from === 28) && to === 29).map(({ number }) => number),
    ),
  )

  it('gives each part its own frequency that starts where the whole was', () => {
    const whole = createFrequencyState(network, solvePowerFlow(network))
    const flow = solvePowerFlow(split)
    let state = followIslands(whole, split, flow)
    expect(state.islands.map(({ frequencyHz }) => frequencyHz)).toSatisfy(
      (all: number[]) => all.length === 2 && all.every((hertz) => Math.abs(hertz - 60) < 1e-9),
    )
    const inputs = state.islands.map(({ buses }) => ({
      loadMw: network.loads.reduce((sum, { bus, pMw }) => sum + (buses.includes(bus) ? pMw : 0), 0),
      lossesMw: 0,
    }))
    for (let step = 0; step < 20; step++)
      state = stepFrequency(state, split, { dtSeconds: dt, inputs, agcGainPerSecond: usualGain })
    // The small part has 830 MW for 283.5 MW of load, the large one misses them.
    expect(islandAt(state, 38)?.frequencyHz).toBeGreaterThan(61)
    expect(islandAt(state, 1)?.frequencyHz).toBeLessThan(60)
    const joined = followIslands(state, network, solvePowerFlow(network))
    expect(joined.islands).toHaveLength(1)
    expect(joined.islands[0]?.machines).toHaveLength(10)
  })

  it('calls an island collapsed when nothing can hold its frequency', () => {
    let state = createFrequencyState(network, solvePowerFlow(network))
    for (let step = 0; step < 100; step++) {
      state = stepFrequency(state, network, {
        dtSeconds: dt,
        inputs: [{ loadMw: 15_000, lossesMw: 0 }],
        agcGainPerSecond: usualGain,
      })
    }
    expect(state.islands[0]).toMatchObject({ collapsed: true, frequencyHz: 57 })
  })
})

describe('FrequencyState', () => {
  it('survives JSON in the middle of a disturbance', () => {
    const network = findCase('case39')
    const flow = solvePowerFlow(network)
    const input = [{ loadMw: totalLoadMw(network) + 900, lossesMw: flow.lossesMw }]
    let live = createFrequencyState(network, flow)
    let revived = live
    for (let step = 0; step < 80; step++) {
      live = stepFrequency(live, network, { dtSeconds: dt, inputs: input, agcGainPerSecond: usualGain })
      revived = stepFrequency(JSON.parse(JSON.stringify(revived)), network, {
        dtSeconds: dt,
        inputs: input,
        agcGainPerSecond: usualGain,
      })
    }
    expect(revived).toEqual(live)
    expect(live.islands[0]?.shedShare).toBeGreaterThan(0)
  })

  it('changes the dispatch through applyFrequency()', () => {
    const network = findCase('case14')
    const applied = applyFrequency(createFrequencyState(network, solvePowerFlow(network)), network)
    expect(totalLoadMw(applied)).toBe(totalLoadMw(network))
    expect(applied.generators[0]?.pMw).toBeCloseTo(232.393272, 5)
  })
})
