/** The DNP3 outstation: class 0 data, select before operate, and reports of breakers that moved. */

import { describe, expect, it } from 'vitest'
import { operateBreaker } from '#grid/plant/plant.ts'
import { decodeDnp3 } from '#grid/protocols/dnp3.ts'
import type { Dnp3Fragment, Dnp3Function } from '#grid/protocols/dnp3-fragment.ts'
import type { Dnp3Dialogue } from '#grid/step/dialogue.ts'
import { rememberChanges } from '#grid/step/stations/dnp3-events.ts'
import { report, serve } from '#grid/step/stations/dnp3-outstation.ts'
import { readClockMs } from '#grid/step/stations/outstation-state.ts'
import type { Session } from '#grid/step/stations/session.ts'
import { queued, stationScene } from '#test/support/grid-stations.ts'
import { must, mustDecode } from '#test/support/must.ts'

/** Control codes and statuses of a control relay output block (IEEE 1815 clause A.8.1). */
const codes = { pulseOn: 1, latchOn: 3, latchOff: 4, close: 0x41, trip: 0x81 } as const
const statuses = { success: 0, timeout: 1, noSelect: 2, notSupported: 4 } as const

/** Class 0, and the classes of events. */
const class0 = { kind: 'all', group: 60, variation: 1 } as const
const events = [2, 3].map((variation) => ({ kind: 'all', group: 60, variation }) as const)

function fragmentOf(
  functionCode: Dnp3Function,
  objects: Dnp3Fragment['objects'] = [],
  sequence = functionCode === 'operate' ? 6 : 5,
): Dnp3Fragment {
  const control = { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence }
  return { control, functionCode, objects }
}

/** Sends one control relay output block, and gives its status in the answer; undefined without an answer. */
function control(
  { context, connection, outstation }: Session<Dnp3Dialogue>,
  functionCode: Dnp3Function,
  index: number,
  code: number,
  { sequence, afterUs = 0 }: { readonly sequence?: number; readonly afterUs?: number } = {},
): number | undefined {
  const point = { index, code, count: 1, onTimeMs: 100, offTimeMs: 100, status: 0 }
  const request = fragmentOf(functionCode, [{ kind: 'control', qualifier: 'index8', points: [point] }], sequence)
  const answer = serve({ context, connection, outstation }, request, context.startUs + afterUs)
  const object = answer?.objects[0]
  if (object?.kind !== 'control') return undefined
  const { status, ...echoed } = must(object.points[0])
  expect(echoed).toEqual({ index, code, count: 1, onTimeMs: 100, offTimeMs: 100 })
  return status
}

const openIn = ({ context }: Session<Dnp3Dialogue>) => context.world.plant.open

describe('serve() of a read', () => {
  it('gives every binary and analogue of the last scan, with the sequence of the request', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2', {
      closed: [true, false, true],
      values: [1.045, -0.2],
    })
    expect(serve({ context, connection, outstation }, fragmentOf('read', [class0]), 0)).toEqual({
      control: { isFirst: true, isFinal: true, confirm: false, unsolicited: false, sequence: 5 },
      functionCode: 'response',
      indications: 0x90,
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
        { kind: 'counter', qualifier: 'range8', points: [0, 1, 2].map((index) => ({ index, flags: 1, count: 0 })) },
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
      const { context, connection, outstation } = stationScene('DNP3', 'RTU-2', sample)
      const answer = serve({ context, connection, outstation }, fragmentOf('read', [class0]), 0)
      return answer?.objects.map(({ kind }) => kind)
    })
    expect(kinds).toEqual([['counter', 'analog_input'], ['binary_input', 'counter'], ['counter']])
  })
})

describe('serve()', () => {
  it.each([
    ['enable_unsolicited', 0x90],
    ['disable_unsolicited', 0x90],
    ['record_current_time', 0x90],
    ['cold_restart', 0x0190],
  ] as const)('answers %s with the indications %d and no objects', (functionCode, indications) => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    const request = fragmentOf(functionCode)
    expect(serve({ context, connection, outstation }, request, 0)).toMatchObject({ indications, objects: [] })
  })

  it('reads kinds and ranges, and says which object or point is unknown', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2', { closed: [true], values: [1, 2, 3] })
    const read = (objects: Dnp3Fragment['objects']) => {
      const answer = serve({ context, connection, outstation }, fragmentOf('read', objects), 0)
      return [(answer?.indications ?? 0) & 0xff00, ...(answer?.objects ?? [])]
    }
    const range = { kind: 'range', qualifier: 'range8', group: 30, variation: 0, start: 1, stop: 2 } as const
    const points = [
      { index: 1, flags: 1, value: 2 },
      { index: 2, flags: 1, value: 3 },
    ]
    expect(read([range])).toEqual([0, { kind: 'analog_input', qualifier: 'range8', points }])
    expect(read([{ ...range, stop: 3 }])).toEqual([0x0400])
    expect(read([{ kind: 'all', group: 1, variation: 0 }])).toMatchObject([0, { kind: 'binary_input' }])
    expect(read([{ kind: 'all', group: 50, variation: 1 }])).toMatchObject([0, { kind: 'time', time: 0 }])
    expect(read([{ kind: 'all', group: 110, variation: 0 }])).toEqual([0x0200])
  })

  it('keeps the time that a master writes, directly or as recorded, and clears its restart', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    const at = (functionCode: Dnp3Function, objects: Dnp3Fragment['objects'], afterUs: number) =>
      serve({ context, connection, outstation }, fragmentOf(functionCode, objects), context.startUs + afterUs)
    const clock = () => readClockMs(context.world, outstation, context.startUs) - context.startUs / 1000
    expect(at('write', [{ kind: 'time', time: context.startUs / 1000 + 5_000 }], 0)?.indications).toBe(0x80)
    expect(clock()).toBe(5_000)
    at('record_current_time', [], 20_000)
    at('write', [{ kind: 'recorded_time', time: context.startUs / 1000 + 70 }], 90_000)
    expect(clock()).toBe(50)
    expect(at('write', [{ kind: 'internal_indication', index: 7, isSet: false }], 0)?.indications).toBe(0)
    expect(at('write', [{ kind: 'internal_indication', index: 4, isSet: false }], 0)?.indications).toBe(0x0400)
    // Ten minutes later it asks for the time again.
    expect(at('delay_measure', [], 700e6)).toMatchObject({ indications: 0x10, objects: [{ kind: 'time_delay' }] })
  })

  it('has a clock that turns over after 48 bits, also in its reports', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    const time = 2 ** 48 - 1
    serve({ context, connection, outstation }, fragmentOf('write', [{ kind: 'time', time }]), context.startUs)
    connection.dialogue.unsolicited = [1]
    operateBreaker(context.world.plant, 3, false)
    report(context, outstation, 3, context.startUs + 5_000)
    const { fragment } = mustDecode(decodeDnp3(must(context.queue[0]).payload))
    expect(fragment.objects).toMatchObject([{ points: [{ time: 4 }] }])
  })

  it('does not answer a confirm', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    expect(serve({ context, connection, outstation }, fragmentOf('confirm'), 0)).toBeUndefined()
  })
})

describe('serve() of a control', () => {
  // Branches 3, 4 and 5 begin at bus 2.
  it('operates what was selected, once', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    expect(control(scene, 'operate', 1, codes.trip)).toBe(statuses.noSelect)
    expect(control(scene, 'select', 1, codes.trip)).toBe(statuses.success)
    expect(openIn(scene)).toEqual([])
    expect(control(scene, 'operate', 2, codes.trip)).toBe(statuses.noSelect)
    expect(openIn(scene)).toEqual([])
    expect(control(scene, 'operate', 1, codes.trip)).toBe(statuses.noSelect)
    control(scene, 'select', 1, codes.trip)
    expect(control(scene, 'operate', 1, codes.trip)).toBe(statuses.success)
    expect(openIn(scene)).toEqual([4])
    expect(scene.context.effects).toMatchObject([{ cause: 'DNP3 operate at RTU-2 point 1' }])
    expect(control(scene, 'operate', 1, codes.close)).toBe(statuses.noSelect)
  })

  it.each([
    ['another code', codes.close, {}, statuses.noSelect],
    ['another sequence than the next', codes.trip, { sequence: 7 }, statuses.noSelect],
    ['more than ten seconds later', codes.trip, { afterUs: 10_000_001 }, statuses.timeout],
  ] as const)('does not operate what was selected with %s', (_, code, how, status) => {
    const scene = stationScene('DNP3', 'RTU-2')
    expect(control(scene, 'select', 0, codes.trip)).toBe(statuses.success)
    expect(control(scene, 'operate', 0, code, how)).toBe(status)
    expect(openIn(scene)).toEqual([])
  })

  it.each([
    ['trip', [3], statuses.success],
    ['latchOff', [3], statuses.success],
    ['close', [], statuses.success],
    ['latchOn', [], statuses.success],
    ['pulseOn', [5], statuses.notSupported],
  ] as const)('with the code %s leaves open %j of a breaker that was open before', (name, open, status) => {
    const scene = stationScene('DNP3', 'RTU-2')
    const point = name === 'pulseOn' ? 2 : 0
    if (open.length === 0 || name === 'pulseOn') {
      operateBreaker(scene.context.world.plant, must(scene.outstation.branches[point]), false)
    }
    expect(control(scene, 'direct_operate', point, codes[name])).toBe(status)
    expect(openIn(scene)).toEqual(open)
  })

  it('refuses a point that is not there, and selects nothing by it', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    expect(control(scene, 'select', 3, codes.trip)).toBe(statuses.notSupported)
    expect(scene.connection.dialogue).toMatchObject({ selected: null })
    expect(control(scene, 'direct_operate', 3, codes.trip)).toBe(statuses.notSupported)
    expect(openIn(scene)).toEqual([])
  })

  it('does not answer direct_operate_no_ack, and obeys it', () => {
    const scene = stationScene('DNP3', 'RTU-2')
    expect(control(scene, 'direct_operate_no_ack', 2, codes.trip)).toBeUndefined()
    expect(openIn(scene)).toEqual([5])
  })
})

describe('report()', () => {
  it('sends an event with flags and time in milliseconds, and requests a confirmation', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    const timeUs = context.startUs + 6_700
    serve({ context, connection, outstation }, fragmentOf('enable_unsolicited', events), timeUs)
    operateBreaker(context.world.plant, 4, false)
    report(context, outstation, 4, timeUs)
    operateBreaker(context.world.plant, 4, true)
    report(context, outstation, 4, timeUs)
    // The second report waits for the confirmation of the first.
    expect(context.queue).toHaveLength(1)
    const confirmation = { ...fragmentOf('confirm').control, unsolicited: true, sequence: 0 }
    serve({ context, connection, outstation }, { ...fragmentOf('confirm'), control: confirmation }, timeUs + 6_000)
    const sent: readonly object[] = context.queue.map(({ payload }) => mustDecode(decodeDnp3(payload)).fragment)
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

  it('keeps events for polls by class until they are confirmed, at most 64', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    const poll = (sequence: number) => {
      const answer = serve({ context, connection, outstation }, fragmentOf('read', events, sequence), context.startUs)
      const points = answer?.objects.flatMap((object): readonly object[] => ('points' in object ? object.points : []))
      return [answer?.control.confirm, (answer?.indications ?? 0) & 0x0806, points?.length]
    }
    report(context, outstation, 4, context.startUs)
    expect(context.queue).toEqual([])
    expect(poll(1)).toEqual([true, 0x0002, 1])
    expect(poll(2)).toEqual([true, 0x0002, 1])
    const confirmation = { ...fragmentOf('confirm'), control: { ...fragmentOf('confirm').control, sequence: 2 } }
    serve({ context, connection, outstation }, confirmation, context.startUs)
    expect(poll(3)).toEqual([false, 0, 0])
    for (let count = 0; count < 65; count++) report(context, outstation, 4, context.startUs)
    expect(poll(4)).toEqual([true, 0x0802, 64])
  })

  it('makes an event of class 2 of a value that leaves its dead band', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    const points = outstation.points.length
    const reported = Array(points).fill(1)
    context.world.samples[outstation.node] = { closed: [], values: [1.019, 1.06, ...reported.slice(2)], reported }
    for (const _ of [1, 2]) rememberChanges(context, outstation)
    const answer = serve({ context, connection, outstation }, fragmentOf('read', events), context.startUs)
    const event = { index: 1, flags: 1, value: 1.06, time: context.startUs / 1000 }
    expect(answer?.objects).toEqual([{ kind: 'analog_input_event', qualifier: 'index8', points: [event] }])
  })

  it('sends nothing while the control centre has no connection', () => {
    const { context, connection, outstation } = stationScene('DNP3', 'RTU-2')
    connection.flow = { ...connection.flow, phase: 'finished' }
    report(context, outstation, 4, 0)
    delete context.world.connections[connection.id]
    report(context, outstation, 4, 0)
    expect(context.queue).toEqual([])
  })
})
