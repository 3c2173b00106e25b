/** Islands regrouped: frequency by inertia, angle and stages of the heaviest machine, and one network again. */

import { describe, expect, it } from 'vitest'
import type { Network } from '#grid/network/network.ts'
import {
  applyFrequency,
  createFrequencyState,
  type FrequencyState,
  followIslands,
  islandAt,
} from '#grid/plant/frequency-islands.ts'
import { must } from '../../support/must.ts'
import { twoBusNetwork } from '../../support/two-bus-network.ts'

const machine = must(twoBusNetwork.generators[0])

/** A machine with 3 s of inertia at bus 1, one with 1 s at bus 2. */
const network: Network = {
  ...twoBusNetwork,
  generators: [
    { ...machine, inertiaS: 3 },
    { ...machine, bus: 2, inertiaS: 1 },
  ],
}
const generators = [
  { pMw: 60, qMvar: 0 },
  { pMw: 40, qMvar: 0 },
]
const joined = { generators, islands: [{ buses: [1, 2], slackBus: 1, energized: true }] }
const split = {
  generators,
  islands: [
    { buses: [1], slackBus: 1, energized: true },
    { buses: [2], slackBus: 2, energized: true },
  ],
}

/** Two islands that have drifted apart. */
function drifted(): FrequencyState {
  const [first, second] = createFrequencyState(network, split).islands
  return {
    islands: [
      {
        ...must(first),
        frequencyHz: 60.4,
        rocofHzPerSecond: 0.4,
        angleRad: 1,
        normalSeconds: 9,
        stageSeconds: [null, null, 0, 0],
      },
      {
        ...must(second),
        frequencyHz: 59.2,
        rocofHzPerSecond: -0.8,
        angleRad: -2,
        normalSeconds: 4,
        stageSeconds: [2, null, 0, 0],
      },
    ],
  }
}

describe('createFrequencyState()', () => {
  it('starts at nominal with every machine at its power in the power flow', () => {
    const state = createFrequencyState(network, joined)
    expect(state.islands).toEqual([
      {
        buses: [1, 2],
        frequencyHz: 60,
        rocofHzPerSecond: 0,
        angleRad: 0,
        machines: [
          { generator: 0, referenceMw: 60, valveMw: 60, mechanicalMw: 60 },
          { generator: 1, referenceMw: 40, valveMw: 40, mechanicalMw: 40 },
        ],
        agcElapsedSeconds: 0,
        stageSeconds: [0, 0, 0, 0],
        shedShare: 0,
        normalSeconds: 0,
        collapsed: false,
      },
    ])
  })

  it('has no frequency for dead islands', () => {
    const [live, dead] = split.islands
    const state = createFrequencyState(network, {
      generators,
      islands: [must(live), { ...must(dead), energized: false }],
    })
    expect(state.islands.map(({ buses }) => buses)).toEqual([[1]])
    expect(islandAt(state, 2)).toBeUndefined()
  })
})

describe('followIslands()', () => {
  it('joins two islands at the mean of their frequencies, weighed by inertia', () => {
    const [island] = followIslands(drifted(), network, joined).islands
    // (3 * 60.4 + 1 * 59.2) / 4 and (3 * 0.4 - 1 * 0.8) / 4.
    expect(island?.frequencyHz).toBeCloseTo(60.1, 12)
    expect(island?.rocofHzPerSecond).toBeCloseTo(0.1, 12)
  })

  it('takes the angle from the heaviest machine, and keeps a stage that can act in one of the parts', () => {
    expect(followIslands(drifted(), network, joined).islands[0]).toMatchObject({
      angleRad: 1,
      normalSeconds: 4,
      stageSeconds: [2, null, 0, 0],
    })
  })

  it('splits an island into two that go on as it was, each with its machine', () => {
    const whole = followIslands(drifted(), network, joined)
    const parts = followIslands(whole, network, split).islands
    expect(parts.map(({ buses, machines }) => [buses, machines.map(({ generator }) => generator)])).toEqual([
      [[1], [0]],
      [[2], [1]],
    ])
    expect(new Set(parts.map(({ frequencyHz }) => frequencyHz))).toEqual(new Set([whole.islands[0]?.frequencyHz]))
  })

  it('starts a machine that was not running at its output, and keeps the others', () => {
    const before = createFrequencyState(
      { ...network, generators: network.generators.map((unit, index) => ({ ...unit, inService: index === 0 })) },
      joined,
    )
    const moved = {
      islands: before.islands.map((island) => ({
        ...island,
        machines: island.machines.map((one) => ({ ...one, mechanicalMw: 77 })),
      })),
    }
    const machines = followIslands(moved, network, joined).islands[0]?.machines
    expect(machines?.map(({ mechanicalMw }) => mechanicalMw)).toEqual([77, 40])
  })
})

describe('applyFrequency()', () => {
  it('dispatches shafts; a machine that is not running yet gives nothing', () => {
    const loads = [{ bus: 1, pMw: 10, qMvar: 5 }]
    const [first] = drifted().islands
    const applied = applyFrequency({ islands: [must(first)] }, { ...network, loads })
    expect(applied.loads).toEqual(loads)
    expect(applied.generators.map(({ pMw }) => pMw)).toEqual([60, 0])
  })
})
