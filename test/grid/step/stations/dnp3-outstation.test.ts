/** The DNP3 outstation: class 0 data, select before operate, and reports of breakers that moved. */

import { describe, expect, it } from 'vitest'
import { operateBreaker } from '#grid/plant/plant.ts'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import type { Dnp3Fragment, Dnp3Function } from '#grid/protocols/dnp3-fragment.ts'
import { report, serve } from '#grid/step/stations/dnp3-outstation.ts'
import { queued, type StationScene, stationScene } from '#test/support/grid-stations.ts'
import { must, mustDecode } from '#test/support/must.ts'

/** Control codes and statuses of a control relay output block (IEEE 1815 clause A.8.1). */
const codes = { pulseOn: 1, latchOn: 3, latchOff: 4, close: 0x41, trip: 0x81 } as const
const statuses = { success: 0, noSelect: 2, notSupported: 4 } as const

function fragmentOf(functionCode: Dnp3Function, objects: Dnp3Fragment['objects'] = []): Dnp3Fragment {
  const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 5 }
  return { control, functionCode, objects }
}

/** Sends one control relay output block, and gives its status in the answer; undefined without an answer. */
function control(
  { context, connection, outstation }: StationScene,
  functionCode: Dnp3Function,
  index: number,
  code: number,
): number | undefined {
  const point = { index, code, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }
  const request = fragmentOf(functionCode, [{ kind: 'control', qualifier: 'index8', points: [point] }])
  const answer = serve(context, connection, outstation, request, context.startUs)
  const object = answer?.objects[0]
  if (object?.kind !== 'control') return undefined
  const { status, ...echoed } = must(object.points[0])
  expect(echoed).toEqual({ index, code, count: 1, onTimeMs: 100, offTimeMs: 100 })
  return status
}

const openIn = ({ context }: StationScene) => context.world.plant.open

describe('serve() of a read', () => {
  it('gives every binary and analogue of the last scan, with the sequence of the request', () => {
    const { context, connection, outstation } = stationScene('RTU-2', {
      closed: [true, false, true],
      values: [1.045, -0.2],
    })
    expect(serve(context, connection, outstation, fragmentOf('read'), 0)).toEqual({
      control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 5 },
      functionCode: 'response',
      indications: 0,
      objects: [
        {
          kind: 'binary_input',
          qualifier: 'range8',
          points: [
            { index: 0, flags: 0x81 },
            { index: 1, flags: 0x01 },
            { index: 2, flags: 0x81 },
          ],
        },
        {
          kind: 'analog_input',
          qualifier: 'range8',
          points: [
            { index: 0, flags: 0x01, value: 1.045 },
            { index: 1, flags: 0x01, value: -0.2 },
          ],
        },
      ],
    })
  })

  it('leaves out a kind of which there are no points, and both before the first scan', () => {
    const kinds = ([{ closed: [], values: [1] }, { closed: [true], values: [] }, undefined] as const).map((sample) => {
      const { context, connection, outstation } = stationScene('RTU-2', sample)
      const answer = serve(context, connection, outstation, fragmentOf('read'), 0)
      return answer?.objects.map(({ kind }) => kind)
    })
    expect(kinds).toEqual([['analog_input'], ['binary_input'], []])
  })
})

describe('serve()', () => {
  it.each([
    ['enable_unsolicited', 0],
    ['disable_unsolicited', 0],
    ['cold_restart', 0x0100],
    ['write', 0x0100],
    ['delay_measure', 0x0100],
  ] as const)('answers %s with the indications %d and no objects', (functionCode, indications) => {
    const { context, connection, outstation } = stationScene('RTU-2')
    const request = fragmentOf(functionCode)
    expect(serve(context, connection, outstation, request, 0)).toMatchObject({ indications, objects: [] })
  })

  it('does not answer a confirm', () => {
    const { context, connection, outstation } = stationScene('RTU-2')
    expect(serve(context, connection, outstation, fragmentOf('confirm'), 0)).toBeUndefined()
  })
})

describe('serve() of a control', () => {
  // Branches 3, 4 and 5 begin at bus 2.
  it('operates what was selected, once', () => {
    const scene = stationScene('RTU-2')
    expect(control(scene, 'operate', 1, codes.trip)).toBe(statuses.noSelect)
    expect(control(scene, 'select', 1, codes.trip)).toBe(statuses.success)
    expect(openIn(scene)).toEqual([])
    expect(control(scene, 'operate', 2, codes.trip)).toBe(statuses.noSelect)
    expect(openIn(scene)).toEqual([])
    expect(control(scene, 'operate', 1, codes.trip)).toBe(statuses.success)
    expect(openIn(scene)).toEqual([4])
    expect(scene.context.effects).toMatchObject([{ cause: 'DNP3 operate at RTU-2 point 1' }])
    expect(control(scene, 'operate', 1, codes.close)).toBe(statuses.noSelect)
  })

  it.each([
    ['trip', [3], statuses.success],
    ['latchOff', [3], statuses.success],
    ['close', [], statuses.success],
    ['latchOn', [], statuses.success],
    ['pulseOn', [5], statuses.notSupported],
  ] as const)('with the code %s leaves open %j of a breaker that was open before', (name, open, status) => {
    const scene = stationScene('RTU-2')
    const point = name === 'pulseOn' ? 2 : 0
    if (open.length === 0 || name === 'pulseOn') {
      operateBreaker(scene.context.world.plant, must(scene.outstation.branches[point]), false)
    }
    expect(control(scene, 'direct_operate', point, codes[name])).toBe(status)
    expect(openIn(scene)).toEqual(open)
  })

  it('refuses a point that is not there, and selects nothing by it', () => {
    const scene = stationScene('RTU-2')
    expect(control(scene, 'select', 3, codes.trip)).toBe(statuses.notSupported)
    expect(scene.connection.dialogue).toMatchObject({ selected: null })
    expect(control(scene, 'direct_operate', 3, codes.trip)).toBe(statuses.notSupported)
    expect(openIn(scene)).toEqual([])
  })

  it('does not answer direct_operate_no_ack, and obeys it', () => {
    const scene = stationScene('RTU-2')
    expect(control(scene, 'direct_operate_no_ack', 2, codes.trip)).toBeUndefined()
    expect(openIn(scene)).toEqual([5])
  })
})

describe('report()', () => {
  it('sends an event with flags and time in milliseconds, and requests a confirmation', () => {
    const { context, connection, outstation } = stationScene('RTU-2')
    const timeUs = context.startUs + 6_700
    operateBreaker(context.world.plant, 4, false)
    report(context, outstation, 4, timeUs)
    operateBreaker(context.world.plant, 4, true)
    report(context, outstation, 4, timeUs)
    const sent = context.queue.map(({ payload }) => mustDecode(decodeDnp3(payload)).fragment)
    expect(sent).toMatchObject([
      {
        control: { confirm: true, unsolicited: true, sequence: 0 },
        functionCode: 'unsolicited_response',
        objects: [
          {
            kind: 'binary_input_event',
            qualifier: 'index8',
            points: [{ index: 1, flags: 0x01, time: 1_764_000_000_006 }],
          },
        ],
      },
      { control: { sequence: 1 }, objects: [{ points: [{ index: 1, flags: 0x81 }] }] },
    ])
    expect(queued(context).map(({ afterUs, srcNode }) => [afterUs, srcNode])).toEqual(Array(2).fill([12_700, 'RTU-2']))
    expect(connection.dialogue).toMatchObject({ outstation: { unsolicited: 2 } })
  })

  it('sends nothing while the control centre has no connection', () => {
    const { context, connection, outstation } = stationScene('RTU-2')
    connection.flow = { ...connection.flow, phase: 'finished' }
    report(context, outstation, 4, 0)
    delete context.world.connections[connection.id]
    report(context, outstation, 4, 0)
    expect(context.queue).toEqual([])
  })
})
