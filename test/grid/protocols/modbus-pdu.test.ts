/** Modbus PDUs: the examples that the specification prints for each function, limits, padding, and faults by field. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { type OctetReader, readOctets } from '#grid/link/octet-reader.ts'
import { modbusLimit, takeRequest, takeResponse } from '#grid/protocols/modbus-pdu.ts'
import { requestHex, requests, responseHex, responses } from '../../support/modbus-pdus.ts'
import { mustDecode } from '../../support/must.ts'

/** Decodes a PDU in hex, or gives the fault of its octets. */
function read<T>(hex: string, take: (reader: OctetReader, functionCode: number) => T | undefined) {
  const reader = readOctets(decodeHex(hex), 'PDU')
  const pdu = take(reader, reader.u8('function code'))
  return pdu === undefined ? reader.refuse() : reader.finish(pdu)
}

describe('takeRequest()', () => {
  it.each(requests)('reads %s', (hex, pdu) => {
    expect(read(hex, takeRequest)).toEqual({ ok: true, value: pdu })
  })

  it.each([
    ['value', 'quantity', '01001307d1'],
    ['value', 'quantity', '030000007e'],
    ['value', 'quantity', '0400080000'],
    ['value', 'value', '0500ac0001'],
    ['length', 'octets', '0f0013000a01cd'],
    ['length', 'octets', '1000010002020001'],
    ['length', 'octets', '100001000203000a01'],
    ['truncated', 'value', '100001000204000a01'],
    ['unsupported', 'MEI type', '2b0d0100'],
    ['unsupported', 'function code', '16000400f20025'],
    ['trailing', 'end', '030000000100'],
  ])('finds the fault %s in the %s of %s', (code, field, hex) => {
    expect(read(hex, takeRequest)).toMatchObject({ ok: false, fault: { code, field } })
  })
})

describe('takeResponse()', () => {
  it.each(responses)('reads %s', (hex, pdu) => {
    expect(read(hex, takeResponse)).toEqual({ ok: true, value: pdu })
  })

  it.each([
    ['length', 'octets', '0303000102'],
    ['length', 'octets', '1100'],
    ['value', 'run status', '11024a01'],
    ['truncated', 'bits', '0103cd6b'],
    ['truncated', 'object value', '2b0e01010000010256'],
    ['value', 'more follows', '2b0e0101010000'],
    ['unsupported', 'function code', '1800'],
  ])('finds the fault %s in the %s of %s', (code, field, hex) => {
    expect(read(hex, takeResponse)).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('pads coils with false to whole octets, and keeps those that were sent', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 2000 }), (values) => {
        const pdu = mustDecode(read(responseHex({ kind: 'read_coils', values }), takeResponse))
        const got = pdu.kind === 'read_coils' ? pdu.values : []
        expect(got.length).toBe(Math.ceil(values.length / 8) * 8)
        expect(got.slice(0, values.length)).toEqual(values)
        expect(got.slice(values.length)).not.toContain(true)
      }),
      { seed: 3, numRuns: 50 },
    )
  })

  it('stops at the first object that is not there, of 255 that are announced', () => {
    expect(read('2b0e01010000ff', takeResponse)).toMatchObject({
      ok: false,
      fault: { code: 'truncated', field: 'object identifier', offset: 7 },
    })
  })
})

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
