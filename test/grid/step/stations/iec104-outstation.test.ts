/** The IEC 104 outstation: what it reports, and how it answers each command, with cause and sign. */

import { describe, expect, it } from 'vitest'
import { operateBreaker } from '#grid/plant/plant.ts'
import { decodeIec104 } from '#grid/protocols/iec104.ts'
import type { Iec104Asdu } from '#grid/protocols/iec104-asdu.ts'
import { newIec104Link } from '#grid/protocols/iec104-link.ts'
import { toCp56Time } from '#grid/protocols/iec104-time.ts'
import { toAsdu } from '#grid/step/stations/iec104-dialogue.ts'
import { report, reportAll, reportChanges, serve } from '#grid/step/stations/iec104-outstation.ts'
import { changeState, readClockMs } from '#grid/step/stations/outstation-state.ts'
import type { StepContext } from '#grid/step/step-context.ts'
import type { Sample } from '#grid/step/world.ts'
import { alarmsIn, queued, rogueConnection, stationScene } from '#test/support/grid-stations.ts'
import { mustDecode } from '#test/support/must.ts'

/** RTU-1 has the common address 1 and the breakers of branches 1 and 2. */
function started(sample?: Sample) {
  const scene = stationScene('IEC104', 'RTU-1', sample)
  const link = { ...newIec104Link, isStarted: true }
  scene.connection.dialogue = {
    protocol: 'IEC104',
    client: link,
    server: link,
    lastUs: 0,
    selected: null,
    clockSetUs: 0,
  }
  return scene
}

/** The answers in the queue: type, cause, sign, and microseconds after the step's start. */
function answers({ queue, startUs }: StepContext) {
  return queue.map(({ payload, timeUs }) => {
    const apdu = mustDecode(decodeIec104(payload))
    if (apdu.format !== 'I') throw new Error(`${apdu.format} is not I`)
    const { type, cause, isNegative } = apdu.asdu
    return `${type} ${cause}${isNegative ? ' negative' : ''} +${timeUs - startUs}`
  })
}

type Started = ReturnType<typeof started>

function command(
  { context, connection, outstation }: Started,
  object: { readonly address: number; readonly isOn: boolean; readonly select: boolean },
  commonAddress = 1,
) {
  const objects = [{ ...object, qualifier: 0 }]
  serve(
    { context, connection, outstation },
    toAsdu({ type: 'C_SC_NA_1', objects, cause: 6, commonAddress }),
    context.startUs,
  )
}

const sample: Sample = { closed: [true, false], values: [1.5, -2] }

describe('reportAll()', () => {
  it('writes states from address 1 and measurements from 2001, as the standard lays them out', () => {
    const { context, connection, outstation } = started(sample)
    reportAll({ context, connection, outstation }, 1, context.startUs)
    const states = '0102' + '01000100' + '01000001' + '02000000'
    const values = '0d02' + '01000100' + 'd10700' + '0000c03f00' + 'd20700' + '000000c000'
    expect(queued(context)).toEqual([
      { afterUs: 0, srcNode: 'RTU-1', hex: `681200000000${states}`, purpose: 'reporting' },
      { afterUs: 1_200, srcNode: 'RTU-1', hex: `681a02000000${values}`, purpose: 'reporting' },
    ])
  })

  it('reports no states where there are none, and nothing before the first scan', () => {
    const { context, connection, outstation } = started({ closed: [], values: [1] })
    reportAll({ context, connection, outstation }, 3, context.startUs)
    expect(answers(context)).toEqual(['M_ME_NC_1 3 +1200'])
    const early = started()
    reportAll(early, 3, 0)
    expect(early.context.queue).toEqual([])
  })
})

describe('serve()', () => {
  it('confirms an interrogation, reports everything with cause 20, and terminates', () => {
    const { context, connection, outstation } = started(sample)
    const objects = [{ address: 0, qualifier: 20 }]
    const asdu = toAsdu({ type: 'C_IC_NA_1', objects, cause: 6, commonAddress: 1 })
    serve({ context, connection, outstation }, asdu, context.startUs)
    expect(answers(context)).toEqual([
      'C_IC_NA_1 7 +0',
      'M_SP_NA_1 20 +1200',
      'M_ME_NC_1 20 +2400',
      'C_IC_NA_1 10 +3600',
    ])
  })

  it('confirms a selection and moves nothing; confirms, moves and terminates an execution', () => {
    const scene = started()
    command(scene, { address: 1002, isOn: false, select: true })
    expect(answers(scene.context)).toEqual(['C_SC_NA_1 7 +0'])
    expect(scene.context.world.plant.open).toEqual([])
    command(scene, { address: 1002, isOn: false, select: false })
    expect(answers(scene.context).slice(1)).toEqual(['C_SC_NA_1 7 +0', 'C_SC_NA_1 10 +1200'])
    expect(scene.context.world.plant.open).toEqual([2])
    expect(scene.context.effects).toMatchObject([{ cause: 'IEC 104 C_SC_NA_1 at RTU-1 IOA 1002' }])
  })

  it.each([
    [2, []],
    [1, [1]],
    [0, [1]],
    [3, [1]],
  ] as const)('closes by the double command %d only if it is 2', (state, open) => {
    const { context, connection, outstation } = started()
    operateBreaker(context.world.plant, 1, false)
    for (const select of [true, false]) {
      const objects = [{ address: 1001, state, select, qualifier: 0 }]
      const asdu = toAsdu({ type: 'C_DC_NA_1', objects, cause: 6, commonAddress: 1 })
      serve({ context, connection, outstation }, asdu, context.startUs)
    }
    expect(context.world.plant.open).toEqual(open)
  })

  it.each([
    ['another common address', 1001, 2, 'C_SC_NA_1 46 negative +0'],
    ['an address behind the last breaker', 1003, 1, 'C_SC_NA_1 47 negative +0'],
    ['an address before the first', 1000, 1, 'C_SC_NA_1 47 negative +0'],
  ])('refuses %s', (_, address, commonAddress, refusal) => {
    const scene = started()
    command(scene, { address, isOn: false, select: false }, commonAddress)
    expect(answers(scene.context)).toEqual([refusal])
    expect(scene.context.world.plant.open).toEqual([])
  })

  it('refuses a type that it does not obey with cause 44', () => {
    const { context, connection, outstation } = started()
    const objects = [{ address: 1001, value: 1, select: false, qualifier: 0 }]
    const asdu = toAsdu({ type: 'C_SE_NC_1', objects, cause: 6, commonAddress: 1 })
    serve({ context, connection, outstation }, asdu, context.startUs)
    expect(answers(context)).toEqual(['C_SE_NC_1 44 negative +0'])
  })

  it('executes only what was selected: the same object and value, within ten seconds, once', () => {
    const scene = started()
    const at = (seconds: number): Started => ({
      ...scene,
      context: { ...scene.context, startUs: scene.context.startUs + seconds * 1e6 },
    })
    const open = { address: 1001, isOn: false }
    const told = () => answers(scene.context).map((line) => line.replace(/ \+\d+$/, ''))
    command(at(0), { ...open, select: false })
    expect(told()).toEqual(['C_SC_NA_1 7 negative'])
    for (const [seconds, wrong] of [
      [0, { ...open, address: 1002 }],
      [0, { ...open, isOn: true }],
      [11, open],
    ] as const) {
      command(at(0), { ...open, select: true })
      command(at(seconds), { ...wrong, select: false })
    }
    expect(told().filter((line) => line === 'C_SC_NA_1 7 negative')).toHaveLength(4)
    expect(scene.context.world.plant.open).toEqual([])
    command(at(0), { ...open, select: true })
    command(at(9), { ...open, select: false })
    command(at(9), { ...open, select: false })
    expect(scene.context.world.plant.open).toEqual([1])
    expect(told().slice(-2)).toEqual(['C_SC_NA_1 10', 'C_SC_NA_1 7 negative'])
  })

  it('takes interrogations and clocks for all stations, and answers with its own address', () => {
    const { context, connection, outstation } = started(sample)
    changeState(context.world, outstation, { exportedKwh: 12.7 })
    const origin = { cause: 6, commonAddress: 65_535 }
    const ask = (asdu: Iec104Asdu) => serve({ context, connection, outstation }, asdu, context.startUs)
    ask(toAsdu({ type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }], ...origin }))
    const time = toCp56Time(context.startUs / 1000 + 90_000)
    ask(toAsdu({ type: 'C_CS_NA_1', objects: [{ address: 0, time }], ...origin }))
    ask(toAsdu({ type: 'C_CI_NA_1', objects: [{ address: 0, qualifier: 5 }], ...origin }))
    const asdus = context.queue.map(({ payload }) => mustDecode(decodeIec104(payload)))
    for (const apdu of asdus) expect(apdu).toMatchObject({ asdu: { commonAddress: 1, isNegative: false } })
    expect(asdus.map((apdu) => (apdu.format === 'I' ? `${apdu.asdu.type} ${apdu.asdu.cause}` : ''))).toEqual([
      ...['C_IC_NA_1 7', 'C_CS_NA_1 7', 'C_CI_NA_1 7', 'M_SP_NA_1 20', 'M_IT_NA_1 37'],
      ...['M_ME_NC_1 20', 'C_IC_NA_1 10', 'C_CI_NA_1 10'],
    ])
    const own = toCp56Time(context.startUs / 1000)
    expect(asdus[1]).toMatchObject({ asdu: { objects: [{ time: own }] } })
    expect(asdus[4]).toMatchObject({ asdu: { objects: [{ address: 3001, count: 12 }, { count: 0 }, { count: 0 }] } })
    expect(readClockMs(context.world, outstation, context.startUs)).toBe(context.startUs / 1000 + 90_000)
    const objects = [{ address: 1001, isOn: false, select: true, qualifier: 0 }]
    context.queue.length = 0
    ask(toAsdu({ type: 'C_SC_NA_1', objects, ...origin }))
    expect(answers(context)).toEqual(['C_SC_NA_1 46 negative +0'])
  })

  it('reads one object, and says which address or cause it does not know', () => {
    const { context, connection, outstation } = started(sample)
    for (const [address, cause] of [...[2, 2001, 3003, 9].map((one) => [one, 5] as const), [2, 6]] as const) {
      const asdu = toAsdu({ type: 'C_RD_NA_1', objects: [{ address }], cause, commonAddress: 1 })
      serve({ context, connection, outstation }, asdu, context.startUs)
    }
    expect(answers(context)).toEqual([
      ...['M_SP_NA_1 5 +0', 'M_ME_NC_1 5 +0', 'M_IT_NA_1 5 +0'],
      ...['C_RD_NA_1 47 negative +0', 'C_RD_NA_1 45 negative +0'],
    ])
  })

  it("reports a writer that is not the master, by the client's address", () => {
    const scene = started()
    const rogue = rogueConnection(scene)
    command({ ...scene, connection: rogue }, { address: 1001, isOn: true, select: true })
    command(scene, { address: 1001, isOn: true, select: true })
    expect(alarmsIn(scene.context)).toEqual(['unknown_writer RTU-1'])
  })
})

describe('report()', () => {
  it('sends the state of a breaker with its time and the cause spontaneous', () => {
    const { context, outstation } = started()
    operateBreaker(context.world.plant, 2, false)
    report(context, outstation, 2, context.startUs + 7_900)
    report(context, outstation, 1, context.startUs + 7_900)
    const objects = context.queue.map(({ payload }) => mustDecode(decodeIec104(payload)))
    expect(objects).toMatchObject([
      {
        asdu: {
          type: 'M_SP_TB_1',
          cause: 3,
          commonAddress: 1,
          objects: [{ address: 2, isOn: false, quality: 0, time: { milliseconds: 7, isInvalid: true } }],
        },
      },
      { asdu: { objects: [{ address: 1, isOn: true }] } },
    ])
    expect(queued(context)[0]).toMatchObject({ afterUs: 12_900, srcNode: 'RTU-1' })
  })

  it('sends nothing while the control centre has no connection', () => {
    const { context, connection, outstation } = started()
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
    const scene = started()
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
    const [message, ...others] = context.queue
    expect(others).toEqual([])
    const time = toCp56Time(context.startUs / 1000 + 5)
    const apdu = mustDecode(decodeIec104(message?.payload ?? new Uint8Array(0)))
    const value = Math.fround(1.06)
    expect(apdu).toMatchObject({
      asdu: {
        type: 'M_ME_TF_1',
        cause: 3,
        commonAddress: 1,
        objects: [
          { address: 2002, value, quality: 0, time },
          { address: 2004, value, quality: 0, time },
        ],
      },
    })
    expect(message?.purpose).toBe('reporting')
  })

  it('says nothing of a value within its band, and nothing before data transfer begins', () => {
    const within = changed([])
    reportChanges(within.context, within.outstation)
    const stopped = changed([1])
    if (stopped.connection.dialogue.protocol === 'IEC104') stopped.connection.dialogue.server = newIec104Link
    reportChanges(stopped.context, stopped.outstation)
    expect([...within.context.queue, ...stopped.context.queue]).toEqual([])
  })

  it('divides many values among messages that a frame of the protocol holds', () => {
    const { context, outstation } = started()
    const [point] = outstation.points
    const wide = { ...outstation, points: Array.from({ length: 40 }, () => point ?? expect.fail()) }
    const reported = wide.points.map(() => 0)
    context.world.samples[outstation.node] = { closed: [], values: wide.points.map(() => 1), reported }
    reportChanges(context, wide)
    const counts = context.queue.map(({ payload }) => {
      const apdu = mustDecode(decodeIec104(payload))
      return apdu.format === 'I' ? apdu.asdu.objects.length : 0
    })
    expect(counts).toEqual([16, 16, 8])
  })
})
