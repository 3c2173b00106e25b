/** The Modbus outstation: what each function reads and writes, and the exception for each wrong request. */

import { describe, expect, it } from 'vitest'
import { toRegisters } from '#grid/protocols/modbus.ts'
import type { ModbusRequestPdu, ModbusResponsePdu } from '#grid/protocols/modbus-pdu.ts'
import type { ModbusDialogue } from '#grid/step/dialogue.ts'
import { serve } from '#grid/step/stations/modbus-outstation.ts'
import { changeState } from '#grid/step/stations/outstation-state.ts'
import type { Session } from '#grid/step/stations/session.ts'
import { stationScene } from '#test/support/grid-stations.ts'
import { must } from '#test/support/must.ts'

/** Exception codes (Modbus Application Protocol V1.1b3 section 7). */
const exceptions = { function: 1, address: 2, value: 3 } as const

const sample = { closed: [true, false, true], values: [1.5, -0.25] }

/** RTU-6 is unit 2, with the breakers of branches 11, 12 and 13 and a machine. */
function station(node = 'RTU-6') {
  return stationScene('Modbus', node, sample)
}

function answer({ context, outstation }: Session<ModbusDialogue>, pdu: ModbusRequestPdu): ModbusResponsePdu {
  const response = serve(context, outstation, { transactionId: 77, unitId: 2, pdu }, context.startUs + 3)
  expect([response.transactionId, response.unitId]).toEqual([77, 2])
  return response.pdu
}

function exception({ kind }: Pick<ModbusRequestPdu, 'kind'>, exceptionCode: number) {
  const functionCode = {
    read_coils: 1,
    read_discrete_inputs: 2,
    read_holding_registers: 3,
    read_input_registers: 4,
    write_single_coil: 5,
    write_single_register: 6,
    diagnostics: 8,
    write_multiple_coils: 15,
    write_multiple_registers: 16,
    report_server_id: 17,
    read_device_identification: 43,
  }[kind]
  return { kind: 'exception', functionCode, exceptionCode }
}

describe('serve() of reads', () => {
  it.each(['read_coils', 'read_discrete_inputs'] as const)('gives the breakers of the last scan for %s', (kind) => {
    const scene = station()
    expect(answer(scene, { kind, address: 0, quantity: 3 })).toEqual({ kind, values: [true, false, true] })
    expect(answer(scene, { kind, address: 1, quantity: 1 })).toEqual({ kind, values: [false] })
    for (const [address, quantity] of [
      [0, 4],
      [2, 2],
      [3, 1],
    ] as const) {
      expect(answer(scene, { kind, address, quantity })).toEqual(exception({ kind }, exceptions.address))
    }
  })

  it('gives each value as two registers, the high word of an IEEE 754 single first', () => {
    const kind = 'read_input_registers'
    const scene = station()
    expect(answer(scene, { kind, address: 0, quantity: 4 })).toEqual({ kind, values: [0x3fc0, 0x0000, 0xbe80, 0x0000] })
    expect(answer(scene, { kind, address: 2, quantity: 1 })).toEqual({ kind, values: [toRegisters(-0.25)[0]] })
    expect(answer(scene, { kind, address: 3, quantity: 2 })).toEqual(exception({ kind }, exceptions.address))
  })

  it('has no values before the first scan', () => {
    const scene = stationScene('Modbus', 'RTU-6')
    for (const kind of ['read_coils', 'read_input_registers'] as const) {
      expect(answer(scene, { kind, address: 0, quantity: 1 })).toEqual(exception({ kind }, exceptions.address))
    }
  })
})

describe('serve() of coils', () => {
  it('opens and closes a breaker, and echoes the request', () => {
    const scene = station()
    const pdu = { kind: 'write_single_coil', address: 1, value: false } as const
    expect(answer(scene, pdu)).toEqual(pdu)
    expect(scene.context.world.plant.open).toEqual([12])
    expect(scene.context.effects).toMatchObject([{ cause: 'Modbus write to RTU-6 coil 1' }])
    expect(scene.context.switched).toEqual([{ branch: 12, closed: false, timeUs: scene.context.startUs + 3 }])
    answer(scene, { ...pdu, value: true })
    expect(scene.context.world.plant.open).toEqual([])
  })

  it('refuses a coil behind the last', () => {
    const pdu = { kind: 'write_single_coil', address: 3, value: false } as const
    expect(answer(station(), pdu)).toEqual(exception(pdu, exceptions.address))
  })

  it('writes several coils from an address on, and answers with their number', () => {
    const kind = 'write_multiple_coils'
    const scene = station()
    expect(answer(scene, { kind, address: 1, values: [false, false] })).toEqual({ kind, address: 1, quantity: 2 })
    expect([...scene.context.world.plant.open].sort()).toEqual([12, 13])
  })

  it('writes none of several coils when the last is not there', () => {
    const pdu = { kind: 'write_multiple_coils', address: 2, values: [false, false] } as const
    const scene = station()
    expect(answer(scene, pdu)).toEqual(exception(pdu, exceptions.address))
    expect(scene.context.world.plant.open).toEqual([])
  })
})

describe('serve() of registers', () => {
  it('takes a voltage in 0.001 pu at register 0 and a power in 0.1 MW at register 1', () => {
    // The machines at the Modbus stations of case14 give no power; the one at bus 2 does.
    const scene = station('RTU-2')
    const voltage = { kind: 'write_single_register', address: 0, value: 1_030 } as const
    expect(answer(scene, voltage)).toEqual(voltage)
    const kind = 'write_multiple_registers'
    expect(answer(scene, { kind, address: 1, values: [125] })).toEqual({ kind, address: 1, quantity: 1 })
    const { world, network, effects } = scene.context
    const machine = network.generators.findIndex(({ bus }) => bus === 2)
    expect(world.plant.setpoints).toEqual({ [machine]: 1.03 })
    const machines = world.plant.frequency.islands.flatMap((island) => island.machines)
    expect(machines.find(({ generator }) => generator === machine)?.referenceMw).toBe(12.5)
    expect(effects).toEqual([
      { machine: 'bus 2', 'voltage set point': '1030' },
      { machine: 'bus 2', 'power reference': '125' },
    ])
  })

  it.each([
    ['a voltage above 1.2 pu', 0, 1_201, exceptions.value],
    ['a voltage below 0.8 pu', 0, 799, exceptions.value],
    ['a power above the largest of the machine, which is 0', 1, 1, exceptions.value],
    ['a register behind the second', 2, 0, exceptions.address],
  ])('refuses %s', (_, address, value, code) => {
    const pdu = { kind: 'write_single_register', address, value } as const
    const scene = station()
    expect(answer(scene, pdu)).toEqual(exception(pdu, code))
    expect(scene.context.effects).toEqual([])
  })

  it('takes a power up to the largest of the machine, and not 0.1 MW more', () => {
    const scene = station('RTU-2')
    const { pMaxMw } = must(scene.context.network.generators.find(({ bus }) => bus === 2))
    const pdu = { kind: 'write_single_register', address: 1, value: pMaxMw * 10 } as const
    expect(answer(scene, pdu)).toEqual(pdu)
    const more = { ...pdu, value: pdu.value + 1 }
    expect(answer(scene, more)).toEqual(exception(more, exceptions.value))
  })

  it('has no registers at a bus without a machine', () => {
    const pdu = { kind: 'write_single_register', address: 0, value: 1_000 } as const
    expect(answer(station('RTU-9'), pdu)).toEqual(exception(pdu, exceptions.address))
  })
})

describe('serve() of other functions', () => {
  it('reads the set points of a machine from holding registers, as they were written', () => {
    const scene = station('RTU-2')
    const kind = 'read_holding_registers'
    const before = answer(scene, { kind, address: 0, quantity: 2 })
    expect(before).toEqual({ kind, values: [1_045, 400] })
    answer(scene, { kind: 'write_multiple_registers', address: 0, values: [1_030, 125] })
    expect(answer(scene, { kind, address: 0, quantity: 2 })).toEqual({ kind, values: [1_030, 125] })
    expect(answer(scene, { kind, address: 1, quantity: 2 })).toEqual(exception({ kind }, exceptions.address))
    expect(answer(station('RTU-9'), { kind, address: 0, quantity: 1 })).toEqual(exception({ kind }, exceptions.address))
  })

  it('reads counters from input register 1000 on, each in two registers', () => {
    const scene = station()
    changeState(scene.context.world, scene.outstation, { exportedKwh: 70_000.9, importedKwh: 3, operations: 2 })
    const kind = 'read_input_registers'
    expect(answer(scene, { kind, address: 1_000, quantity: 6 })).toEqual({ kind, values: [1, 4_464, 0, 3, 0, 2] })
    expect(answer(scene, { kind, address: 1_005, quantity: 2 })).toEqual(exception({ kind }, exceptions.address))
  })

  it('identifies the device: basic objects, regular ones, and one by its number', () => {
    const scene = station()
    const kind = 'read_device_identification'
    const texts = (readCode: number, objectId: number) => {
      const pdu = answer(scene, { kind, readCode, objectId })
      return pdu.kind === kind ? pdu.objects.map(({ id, value }) => `${id} ${new TextDecoder().decode(value)}`) : pdu
    }
    expect(texts(1, 0)).toEqual(['0 Sluice', '1 GRID-RTU', expect.stringMatching(/^2 \d+\.\d+\.\d+$/)])
    expect(texts(2, 0)).toHaveLength(7)
    expect(texts(4, 6)).toEqual(['6 RTU-6'])
    expect(texts(4, 7)).toEqual(exception({ kind }, exceptions.address))
    expect(texts(5, 0)).toEqual(exception({ kind }, exceptions.value))
  })

  it('reports its name, and returns the data of a loopback and of no other diagnostic', () => {
    const scene = station()
    const serverId = new TextEncoder().encode('RTU-6')
    expect(answer(scene, { kind: 'report_server_id' })).toEqual({ kind: 'report_server_id', serverId, isRunning: true })
    const loopback = { kind: 'diagnostics', subfunction: 0, data: 0xa537 } as const
    expect(answer(scene, loopback)).toEqual(loopback)
    const counters = { ...loopback, subfunction: 11 }
    expect(answer(scene, counters)).toEqual(exception(counters, exceptions.function))
  })
})
