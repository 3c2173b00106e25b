/** Frames of phasor units: their data measure the solution of the grid, in secondary values. */

import { describe, expect, it } from 'vitest'
import { busPosition } from '#grid/network/network.ts'
import { decodeC37118 } from '#grid/protocols/c37118.ts'
import { toPolar } from '#grid/protocols/c37118-data.ts'
import { configurationFrame, dataFrame } from '#grid/step/stations/phasor-frames.ts'
import { phasorStation } from '#grid/step/stations/phasors.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { PmuSite } from '#grid/telecontrol/telecontrol.ts'
import { contextOf } from '#test/support/grid-context.ts'
import { must, mustDecode } from '#test/support/must.ts'

/** Reads the measurement of a unit at the beginning of a step. */
function measure(context: StepContext, site: PmuSite) {
  return readUnit(context, site, dataFrame(context, site, context.startUs))
}

/** Reads the measurement in a frame of a unit. */
function readUnit(context: StepContext, site: PmuSite, octets: Uint8Array) {
  const frame = mustDecode(decodeC37118(octets, context.configurationOf(site.link)))
  return must(frame.kind === 'data' ? frame.pmus[0] : undefined)
}

describe('dataFrame()', () => {
  it('measures the voltage and the power of each branch of the solution: S = V I*', () => {
    const context = contextOf()
    const { solution } = context.world.plant
    for (const site of context.plan.pmus) {
      const unit = measure(context, site)
      const [voltage, ...flows] = unit.phasors.map(toPolar)
      const v = must(voltage)
      const vmPu = must(solution.vmPu[busPosition(context.network, site.bus)])
      expect(Math.abs(v.magnitude / 120 - vmPu)).toBeLessThan(0.01)
      expect(unit.frequencyHz).toBeCloseTo(60, 1)
      for (const [index, { branch, end }] of site.currents.entries()) {
        const i = must(flows[index])
        const apparent = (v.magnitude / 120) * (i.magnitude / 5)
        const angle = v.angle - i.angle
        const flow = must(solution.branches[branch - 1])
        const [pMw, qMvar] = end === 'from' ? [flow.fromMw, flow.fromMvar] : [flow.toMw, flow.toMvar]
        expect(Math.abs(apparent * Math.cos(angle) - pMw / 100)).toBeLessThan(0.02)
        expect(Math.abs(apparent * Math.sin(angle) - qMvar / 100)).toBeLessThan(0.02)
      }
      for (const { angle } of [v, ...flows]) expect(Math.abs(angle)).toBeLessThanOrEqual(Math.PI)
    }
  })
})

describe('poll()', () => {
  it('queues the frame of a unit that reports without being asked', () => {
    const context = contextOf()
    phasorStation.poll(context)
    const site = must(context.plan.pmus.find(({ carrier }) => carrier === 'udp'))
    const { payload } = must(context.queue.findLast(({ srcNode }) => srcNode === site.node))
    expect(readUnit(context, site, payload)).toEqual(measure(contextOf(), site))
  })
})

describe('configurationFrame()', () => {
  it('refuses a unit whose link has no stream', () => {
    const context = contextOf()
    const stranger = { ...must(context.plan.pmus[0]), link: 'PMU-99--PDC' }
    expect(() => configurationFrame(context, stranger, 2, context.startUs)).toThrow('no configuration for PMU-99--PDC')
  })
})
