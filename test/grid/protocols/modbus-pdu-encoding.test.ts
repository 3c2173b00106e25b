/** Modbus PDUs to octets: the examples that the specification prints for each function, and limits. */

import { describe, expect, it } from 'vitest'
import { modbusLimit } from '#grid/protocols/modbus-pdu.ts'
import { requestHex, requests, responseHex, responses } from '../../support/modbus-pdus.ts'

describe('putRequest()', () => {
  it.each(requests)('writes %s', (hex, pdu) => {
    expect(requestHex(pdu)).toBe(hex)
  })

  it.each([
    ['read_coils', modbusLimit.readBits],
    ['read_discrete_inputs', modbusLimit.readBits],
    ['read_holding_registers', modbusLimit.readRegisters],
    ['read_input_registers', modbusLimit.readRegisters],
  ] as const)('asks %s for 1 to %d items', (kind, most) => {
    expect(() => requestHex({ kind, address: 0, quantity: most })).not.toThrow()
    for (const quantity of [0, most + 1]) {
      expect(() => requestHex({ kind, address: 0, quantity })).toThrow(
        `Cannot encode Modbus message: quantity is ${quantity}, expected 1 to ${most}`,
      )
    }
  })

  it('writes 1 to 1968 coils and 1 to 123 registers', () => {
    const coils = (length: number) =>
      requestHex({ kind: 'write_multiple_coils', address: 0, values: Array<boolean>(length).fill(true) })
    const registers = (length: number) =>
      requestHex({ kind: 'write_multiple_registers', address: 0, values: Array<number>(length).fill(1) })
    expect([coils(1968).length / 2, registers(123).length / 2]).toEqual([6 + 246, 6 + 246])
    for (const refused of [() => coils(0), () => coils(1969), () => registers(0), () => registers(124)]) {
      expect(refused).toThrow(expect.objectContaining({ code: 'malformed_frame' }))
    }
  })
})

describe('putResponse()', () => {
  it.each(responses)('writes %s', (hex, pdu) => {
    expect(responseHex(pdu)).toBe(hex)
  })

  it('answers at most 2000 bits and 125 registers', () => {
    const most = { bits: Array<boolean>(2000).fill(true), registers: Array<number>(125).fill(1) }
    expect(responseHex({ kind: 'read_coils', values: most.bits })).toHaveLength(2 * 252)
    expect(responseHex({ kind: 'read_input_registers', values: most.registers })).toHaveLength(2 * 252)
    expect(() => responseHex({ kind: 'read_coils', values: [...most.bits, true] })).toThrow('1 to 2000')
    expect(() => responseHex({ kind: 'read_input_registers', values: [...most.registers, 1] })).toThrow('1 to 125')
  })
})
