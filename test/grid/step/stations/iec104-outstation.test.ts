/** The IEC 104 outstation as a server: its answer to each command, with cause and sign. */

import { describe, expect, it } from 'vitest'
import { operateBreaker } from '#grid/plant/plant.ts'
import type { Iec104Asdu } from '#grid/protocols/iec104-asdu.ts'
import { toCp56Time } from '#grid/protocols/iec104-time.ts'
import type { Iec104Dialogue } from '#grid/step/dialogue.ts'
import { toAsdu } from '#grid/step/stations/iec104-dialogue.ts'
import { serve } from '#grid/step/stations/iec104-outstation.ts'
import { changeState, readClockMs } from '#grid/step/stations/outstation-state.ts'
import type { Session } from '#grid/step/stations/session.ts'
import type { Sample } from '#grid/step/world.ts'
import { alarmsIn, rogueConnection } from '#test/support/grid-stations.ts'
import { describeAsdus, queuedAsdus, startedIec104 } from '#test/support/iec104-scene.ts'

/** A single command to a breaker of RTU-1, which has those of branches 1 and 2; it selects or executes. */
interface SingleCommand {
  readonly address: number
  readonly isOn: boolean
  readonly select: boolean
}

function command(scene: Session<Iec104Dialogue>, object: SingleCommand, commonAddress = 1) {
  const objects = [{ ...object, qualifier: 0 }]
  serve(scene, toAsdu({ type: 'C_SC_NA_1', objects, cause: 6, commonAddress }), scene.context.startUs)
}

const sample: Sample = { closed: [true, false], values: [1.5, -2] }

describe('serve()', () => {
  it('confirms an interrogation, reports everything with cause 20, and terminates', () => {
    const scene = startedIec104(sample)
    const objects = [{ address: 0, qualifier: 20 }]
    const asdu = toAsdu({ type: 'C_IC_NA_1', objects, cause: 6, commonAddress: 1 })
    serve(scene, asdu, scene.context.startUs)
    expect(describeAsdus(scene.context)).toEqual([
      'C_IC_NA_1 7 +0',
      'M_SP_NA_1 20 +1200',
      'M_ME_NC_1 20 +2400',
      'C_IC_NA_1 10 +3600',
    ])
  })

  it('confirms a selection and moves nothing; confirms, moves and terminates an execution', () => {
    const scene = startedIec104()
    command(scene, { address: 1002, isOn: false, select: true })
    expect(describeAsdus(scene.context)).toEqual(['C_SC_NA_1 7 +0'])
    expect(scene.context.world.plant.open).toEqual([])
    command(scene, { address: 1002, isOn: false, select: false })
    expect(describeAsdus(scene.context).slice(1)).toEqual(['C_SC_NA_1 7 +0', 'C_SC_NA_1 10 +1200'])
    expect(scene.context.world.plant.open).toEqual([2])
    expect(scene.context.effects).toMatchObject([{ cause: 'IEC 104 C_SC_NA_1 at RTU-1 IOA 1002' }])
  })

  it.each([
    [2, []],
    [1, [1]],
    [0, [1]],
    [3, [1]],
  ] as const)('closes by the double command %d only if it is 2', (state, open) => {
    const scene = startedIec104()
    const { context } = scene
    operateBreaker(context.world.plant, 1, false)
    for (const select of [true, false]) {
      const objects = [{ address: 1001, state, select, qualifier: 0 }]
      const asdu = toAsdu({ type: 'C_DC_NA_1', objects, cause: 6, commonAddress: 1 })
      serve(scene, asdu, scene.context.startUs)
    }
    expect(context.world.plant.open).toEqual(open)
  })

  it.each([
    ['another common address', 1001, 2, 'C_SC_NA_1 46 negative +0'],
    ['an address behind the last breaker', 1003, 1, 'C_SC_NA_1 47 negative +0'],
    ['an address before the first', 1000, 1, 'C_SC_NA_1 47 negative +0'],
  ])('refuses %s', (_, address, commonAddress, refusal) => {
    const scene = startedIec104()
    command(scene, { address, isOn: false, select: false }, commonAddress)
    expect(describeAsdus(scene.context)).toEqual([refusal])
    expect(scene.context.world.plant.open).toEqual([])
  })

  it('refuses a type that it does not obey with cause 44', () => {
    const scene = startedIec104()
    const objects = [{ address: 1001, value: 1, select: false, qualifier: 0 }]
    const asdu = toAsdu({ type: 'C_SE_NC_1', objects, cause: 6, commonAddress: 1 })
    serve(scene, asdu, scene.context.startUs)
    expect(describeAsdus(scene.context)).toEqual(['C_SE_NC_1 44 negative +0'])
  })

  it('executes only what was selected: the same object and value, within ten seconds, once', () => {
    const scene = startedIec104()
    const at = (seconds: number) => ({
      ...scene,
      context: { ...scene.context, startUs: scene.context.startUs + seconds * 1e6 },
    })
    const open = { address: 1001, isOn: false }
    const told = () => describeAsdus(scene.context).map((line) => line.replace(/ \+\d+$/, ''))
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
    const scene = startedIec104(sample)
    const { context, outstation } = scene
    changeState(context.world, outstation, { exportedKwh: 12.7 })
    const origin = { cause: 6, commonAddress: 65_535 }
    const ask = (asdu: Iec104Asdu) => serve(scene, asdu, context.startUs)
    ask(toAsdu({ type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }], ...origin }))
    const time = toCp56Time(context.startUs / 1000 + 90_000)
    ask(toAsdu({ type: 'C_CS_NA_1', objects: [{ address: 0, time }], ...origin }))
    ask(toAsdu({ type: 'C_CI_NA_1', objects: [{ address: 0, qualifier: 5 }], ...origin }))
    const asdus = queuedAsdus(context)
    for (const asdu of asdus) expect(asdu).toMatchObject({ commonAddress: 1, isNegative: false })
    expect(asdus.map(({ type, cause }) => `${type} ${cause}`)).toEqual([
      ...['C_IC_NA_1 7', 'C_CS_NA_1 7', 'C_CI_NA_1 7', 'M_SP_NA_1 20', 'M_IT_NA_1 37'],
      ...['M_ME_NC_1 20', 'C_IC_NA_1 10', 'C_CI_NA_1 10'],
    ])
    const clock = asdus.find(({ type }) => type === 'C_CS_NA_1')
    expect(clock).toMatchObject({ objects: [{ time: toCp56Time(context.startUs / 1000) }] })
    const totals = asdus.find(({ type }) => type === 'M_IT_NA_1')
    expect(totals).toMatchObject({ objects: [{ address: 3001, count: 12 }, { count: 0 }, { count: 0 }] })
    expect(readClockMs(context.world, outstation, context.startUs)).toBe(context.startUs / 1000 + 90_000)
    const objects = [{ address: 1001, isOn: false, select: true, qualifier: 0 }]
    context.queue.length = 0
    ask(toAsdu({ type: 'C_SC_NA_1', objects, ...origin }))
    expect(describeAsdus(context)).toEqual(['C_SC_NA_1 46 negative +0'])
  })

  it('reads one object, and says which address or cause it does not know', () => {
    const scene = startedIec104(sample)
    const read = (address: number, cause = 5) =>
      serve(
        scene,
        toAsdu({ type: 'C_RD_NA_1', objects: [{ address }], cause, commonAddress: 1 }),
        scene.context.startUs,
      )
    for (const address of [2, 2001, 3003, 9]) read(address)
    read(2, 6)
    expect(describeAsdus(scene.context)).toEqual([
      ...['M_SP_NA_1 5 +0', 'M_ME_NC_1 5 +0', 'M_IT_NA_1 5 +0'],
      ...['C_RD_NA_1 47 negative +0', 'C_RD_NA_1 45 negative +0'],
    ])
  })

  it("reports a writer that is not the master, by the client's address", () => {
    const scene = startedIec104()
    const rogue = rogueConnection(scene)
    command({ ...scene, connection: rogue }, { address: 1001, isOn: true, select: true })
    command(scene, { address: 1001, isOn: true, select: true })
    expect(alarmsIn(scene.context)).toEqual(['unknown_writer RTU-1'])
  })
})
