/** Modbus stations: a request is obeyed whole or not at all. */

import { describe, expect, it } from 'vitest'
import { findCase } from '#grid/network/cases/catalogue.ts'
import { decodeModbusResponse, encodeModbusRequest } from '#grid/protocols/modbus.ts'
import type { ModbusRequestPdu } from '#grid/protocols/modbus-pdu.ts'
import { modbusStation } from '#grid/step/stations/modbus.ts'
import { openStepContext } from '#grid/step/step-context.ts'
import type { Message } from '#grid/telecontrol/message.ts'
import { calmStretch } from '#test/support/grid-session.ts'

/** Sends a request to the station at bus 3, which has a machine, and gives its answer and what it changed. */
function ask(pdu: ModbusRequestPdu) {
  const { world } = calmStretch(21)
  const context = openStepContext(world, findCase('case14'))
  const connection = world.connections['CC--RTU-3#cc']
  if (connection === undefined) throw new Error('no connection')
  const before = structuredClone(world.plant)
  const payload = encodeModbusRequest({ transactionId: 9, unitId: 1, pdu })
  const message: Message = {
    protocol: 'Modbus',
    link: connection.link,
    carrier: { kind: 'tcp', connection: connection.id, side: 'client' },
    srcNode: 'CC',
    dstNode: 'RTU-3',
    timeUs: context.startUs,
    payload,
    purpose: 'command',
    forged: null,
  }
  modbusStation.receive(context, message, payload)
  const answer = decodeModbusResponse(context.queue[0]?.payload ?? new Uint8Array(0))
  if (!answer.ok) throw new Error(answer.fault.message)
  return { pdu: answer.value.pdu, effects: context.effects, before, after: world.plant }
}

describe('writing registers', () => {
  it('changes every register of a request whose values are all taken', () => {
    const { pdu, effects, after } = ask({ kind: 'write_multiple_registers', address: 0, values: [1020, 0] })
    expect(pdu).toEqual({ kind: 'write_multiple_registers', address: 0, quantity: 2 })
    expect(effects).toHaveLength(2)
    expect(Object.values(after.setpoints)).toEqual([1.02])
  })

  it.each([
    ['value', 0, [1020, 65_535], 'illegal_data_value'],
    ['address', 0, [1020, 0, 0], 'illegal_data_address'],
    ['value', 0, [2000, 0], 'illegal_data_value'],
  ] as const)('changes none when the last or another %s is wrong', (_, address, values, exception) => {
    const { pdu, effects, before, after } = ask({ kind: 'write_multiple_registers', address, values })
    expect(pdu).toMatchObject({ kind: 'exception' })
    expect(JSON.stringify(pdu)).toContain(String(exceptionCodes[exception]))
    expect([effects, after]).toEqual([[], before])
  })

  it('changes no coil when the range of a request ends behind the last one', () => {
    const { pdu, before, after } = ask({ kind: 'write_multiple_coils', address: 0, values: [false, false] })
    expect(pdu).toMatchObject({ kind: 'exception' })
    expect(after).toEqual(before)
  })
})

const exceptionCodes = { illegal_data_address: 2, illegal_data_value: 3 } as const
