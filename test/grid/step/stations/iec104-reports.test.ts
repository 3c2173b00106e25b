/** Reports of an IEC 104 outstation: octets as the standard lays them out, causes, times, and values by themselves. */

import { describe, expect, it } from 'vitest'
import { operateBreaker } from '#grid/plant/plant.ts'
import { newIec104Link } from '#grid/protocols/iec104-link.ts'
import { toCp56Time } from '#grid/protocols/iec104-time.ts'
import { report, reportAll, reportChanges } from '#grid/step/stations/iec104-reports.ts'
import { changeState } from '#grid/step/stations/outstation-state.ts'
import { queued } from '#test/support/grid-stations.ts'
import { describeAsdus, queuedAsdus, startedIec104 } from '#test/support/iec104-scene.ts'

describe('reportAll()', () => {
  it('writes states from address 1 and measurements from 2001, as the standard lays them out', () => {
    const scene = startedIec104({ closed: [true, false], values: [1.5, -2] })
    const { context } = scene
    reportAll(scene, 1, context.startUs)
    const states = '0102' + '01000100' + '01000001' + '02000000'
    const values = '0d02' + '01000100' + 'd10700' + '0000c03f00' + 'd20700' + '000000c000'
    expect(queued(context)).toEqual([
      { afterUs: 0, srcNode: 'RTU-1', hex: `681200000000${states}`, purpose: 'reporting' },
      { afterUs: 1_200, srcNode: 'RTU-1', hex: `681a02000000${values}`, purpose: 'reporting' },
    ])
  })

  it('reports no states where there are none, and nothing before the first scan', () => {
    const scene = startedIec104({ closed: [], values: [1] })
    reportAll(scene, 3, scene.context.startUs)
    expect(describeAsdus(scene.context)).toEqual(['M_ME_NC_1 3 +1200'])
    const early = startedIec104()
    reportAll(early, 3, 0)
    expect(early.context.queue).toEqual([])
  })
})

describe('report()', () => {
  it('sends the state of a breaker with its time and the cause spontaneous', () => {
    const { context, outstation } = startedIec104()
    operateBreaker(context.world.plant, 2, false)
    report(context, outstation, 2, context.startUs + 7_900)
    report(context, outstation, 1, context.startUs + 7_900)
    expect(queuedAsdus(context)).toMatchObject([
      {
        type: 'M_SP_TB_1',
        cause: 3,
        commonAddress: 1,
        objects: [{ address: 2, isOn: false, quality: 0, time: { milliseconds: 7, isInvalid: true } }],
      },
      { objects: [{ address: 1, isOn: true }] },
    ])
    expect(queued(context)[0]).toMatchObject({ afterUs: 12_900, srcNode: 'RTU-1' })
  })

  it('sends nothing while the control centre has no connection', () => {
    const { context, connection, outstation } = startedIec104()
    connection.flow = { ...connection.flow, phase: 'finished' }
    report(context, outstation, 1, 0)
    delete context.world.connections[connection.id]
    report(context, outstation, 1, 0)
    expect(context.queue).toEqual([])
  })
})

describe('reportChanges()', () => {
  /** A scan in which every value was reported as 1; those that are named are now 1.06. */
  function changed(indices: readonly number[]) {
    const scene = startedIec104()
    const { context, outstation } = scene
    const reported = outstation.points.map(() => 1)
    const values = reported.map((value, index) => (indices.includes(index) ? 1.06 : value))
    context.world.samples[outstation.node] = { closed: [], values, reported }
    return scene
  }

  it('reports a value that left its dead band once, by itself and with the time of its measurement', () => {
    const { context, outstation } = changed([1, 3])
    changeState(context.world, outstation, { clockUs: 5_000, synchronisedUs: context.startUs })
    for (const _ of [1, 2]) reportChanges(context, outstation)
    const time = toCp56Time(context.startUs / 1000 + 5)
    const value = Math.fround(1.06)
    expect(queuedAsdus(context)).toMatchObject([
      {
        type: 'M_ME_TF_1',
        cause: 3,
        commonAddress: 1,
        objects: [
          { address: 2002, value, quality: 0, time },
          { address: 2004, value, quality: 0, time },
        ],
      },
    ])
    expect(context.queue[0]?.purpose).toBe('reporting')
  })

  it('says nothing of a value within its band, and nothing before data transfer begins', () => {
    const within = changed([])
    reportChanges(within.context, within.outstation)
    const stopped = changed([1])
    stopped.dialogue.server = newIec104Link
    reportChanges(stopped.context, stopped.outstation)
    expect([...within.context.queue, ...stopped.context.queue]).toEqual([])
  })

  it('divides many values among messages that a frame of the protocol holds', () => {
    const { context, outstation } = startedIec104()
    const [point] = outstation.points
    const wide = { ...outstation, points: Array.from({ length: 40 }, () => point ?? expect.fail()) }
    const reported = wide.points.map(() => 0)
    context.world.samples[outstation.node] = { closed: [], values: wide.points.map(() => 1), reported }
    reportChanges(context, wide)
    expect(queuedAsdus(context).map(({ objects }) => objects.length)).toEqual([16, 16, 8])
  })
})
