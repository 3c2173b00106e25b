/** Merging units and their protection: samples that follow the grid, counts in order, trips on what flows. */

import { describe, expect, it } from 'vitest'
import { findTelecontrol } from '#grid/engine.ts'
import { decodeSampledValues } from '#grid/protocols/sampled-values.ts'
import { sampledFrame, sampling } from '#grid/step/stations/sampled-frames.ts'
import { sampledValuesStation } from '#grid/step/stations/sampled-values.ts'
import { contextOf } from '#test/support/grid-context.ts'
import { calmStretch, runSteps, startWorld } from '#test/support/grid-session.ts'
import { must, mustDecode } from '#test/support/must.ts'

const settings = { iec61850: 2, load_speed: 0, case: 'case39' } as const
const quiet = () => 0

function openScene() {
  const { world } = calmStretch(21, settings)
  const context = contextOf(world)
  const unit = must(context.plan.mergingUnits[0])
  const frame = (factor: number) => sampledFrame(context, unit, factor, quiet)
  const receive = (payload: Uint8Array) => {
    const ends = { protocol: 'SV', link: unit.link, srcNode: unit.node, dstNode: unit.listener } as const
    const carrier = { kind: 'ethernet' } as const
    const message = { ...ends, carrier, timeUs: context.startUs, payload, purpose: 'reporting', forged: null } as const
    sampledValuesStation.receive(context, message, payload)
  }
  return { context, unit, frame, receive, world }
}

describe('sampledFrame()', () => {
  it('has eight samples whose amplitudes are those of the grid, and a neutral that is their sum', () => {
    const { context, unit, frame } = openScene()
    const { asdus } = mustDecode(decodeSampledValues(frame(1)))
    expect(asdus).toHaveLength(8)
    const flow = must(context.world.plant.solution.branches[unit.branch - 1])
    const bus = context.network.buses.findIndex(({ id }) => id === unit.bus)
    const vm = must(context.world.plant.solution.vmPu[bus])
    const amperes = ((Math.hypot(flow.fromMw, flow.fromMvar) / vm) * 1_000) / (Math.sqrt(3) * 345)
    // Samples that follow each other are three quarters of a period apart.
    const peak = (channel: number) =>
      Math.hypot(must(asdus[0]?.values[channel]).value, must(asdus[1]?.values[channel]).value)
    for (const phase of [0, 1, 2]) {
      expect(peak(phase) / 1_000 / Math.SQRT2 / amperes).toBeCloseTo(1, 2)
      expect(peak(4 + phase) / 100 / Math.SQRT2 / ((vm * 345_000) / Math.sqrt(3))).toBeCloseTo(1, 2)
    }
    for (const { values } of asdus) {
      expect(must(values[3]).value).toBe(must(values[0]).value + must(values[1]).value + must(values[2]).value)
    }
  })

  it('counts 0 to 79 in each second without a gap, in a session as in its capture', () => {
    const { frames, world } = runSteps(startWorld(settings), 25)
    const mac = must(findTelecontrol(world).mergingUnits[0]).host.mac
    const counts = frames
      .filter(({ protocol, src }) => protocol === 'SV' && src === mac)
      .flatMap(({ bytes }) => mustDecode(decodeSampledValues(bytes)).asdus.map(({ sampleCount }) => sampleCount))
    expect(counts).toHaveLength(25 * sampling.perFrame)
    expect(counts.every((count, at) => count === at % sampling.perSecond)).toBe(true)
  })
})

describe('sampledValuesStation', () => {
  it('leaves sessions without stations as they are, and trips nothing in those that have them', () => {
    const { world, frames } = runSteps(startWorld(), 20)
    expect([world.sampled, frames.some(({ protocol }) => protocol === 'SV')]).toEqual([undefined, false])
    const own = runSteps(startWorld({ ...settings, load_speed: 1 }), 100)
    expect(own.world.plant.open).toEqual([])
    expect(own.world.view.alarms).toEqual([])
  })

  it('trips on a frame whose currents exceed three times the pick-up, and on none below', () => {
    const { context, unit, frame, receive, world } = openScene()
    const { securePickupMva } = must(context.network.branches[unit.branch - 1])
    const flow = must(world.plant.solution.branches[unit.branch - 1])
    const bus = context.network.buses.findIndex(({ id }) => id === unit.bus)
    const now = Math.hypot(flow.fromMw, flow.fromMvar) / must(world.plant.solution.vmPu[bus])
    const tripping = (factor: number) => {
      const state = must(world.sampled?.[unit.node])
      state.accepted = null
      state.isTripping = false
      receive(frame(factor))
      return state.isTripping
    }
    expect(tripping((2.98 * securePickupMva) / now)).toBe(false)
    expect(tripping((3.02 * securePickupMva) / now)).toBe(true)
    expect(context.effects).toEqual([
      { protection: unit.listener, state: 'trip', cause: `sampled values of ${unit.node}` },
    ])
  })

  it('takes a frame once, and reports a second publisher', () => {
    const { frame, receive, world, unit } = openScene()
    receive(frame(1))
    expect(world.view.alarms).toEqual([])
    receive(frame(1000))
    expect(world.view.alarms).toMatchObject([{ detector: 'sequence', where: unit.node }])
    expect(world.sampled?.[unit.node]?.isTripping).toBe(false)
  })
})
