/** Modbus over TCP: the envelope of the messaging guide, exceptions, and floats in two registers. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  decodeModbusRequest,
  decodeModbusResponse,
  encodeModbusRequest,
  encodeModbusResponse,
  fromRegisters,
  nextTransactionId,
  refuse,
  toRegisters,
} from '#grid/protocols/modbus.ts'

/** Section 3.1.3 of the messaging guide: transaction 1501, unit ff, one register at 4. */
const example = '15010000' + '0006' + 'ff' + '0300040001'
const request = {
  transactionId: 0x1501,
  unitId: 0xff,
  pdu: { kind: 'read_holding_registers', address: 4, quantity: 1 },
} as const

describe('encodeModbusRequest()', () => {
  it('puts transaction, protocol 0, length and unit in front of the PDU', () => {
    expect(encodeHex(encodeModbusRequest(request))).toBe(example)
  })

  it('refuses a unit that is not one octet', () => {
    expect(() => encodeModbusRequest({ ...request, unitId: 256 })).toThrow('unit identifier is 256')
  })
})

describe('decodeModbusRequest()', () => {
  it('reads the example of the guide', () => {
    expect(decodeModbusRequest(decodeHex(example))).toEqual({ ok: true, value: request })
  })

  it.each([
    ['protocol', 'protocol identifier', example.replace(/^15010000/, '15010001')],
    ['length', 'length', example.replace('0006', '0007')],
    ['length', 'length', `${example}00`],
    ['truncated', 'quantity', '150100000005ff03000400'],
    ['trailing', 'end', '150100000007ff030004000100'],
    ['truncated', 'length', '15010000'],
  ])('finds the fault %s in the %s', (code, field, hex) => {
    expect(decodeModbusRequest(decodeHex(hex))).toMatchObject({ ok: false, fault: { code, field } })
  })
})

describe('encodeModbusResponse()', () => {
  it('holds a PDU of at most 253 octets', () => {
    const identification = (length: number) =>
      encodeModbusResponse({
        transactionId: 1,
        unitId: 1,
        pdu: {
          kind: 'read_device_identification',
          readCode: 1,
          conformity: 1,
          moreFollows: false,
          nextObjectId: 0,
          objects: [{ id: 0, value: new Uint8Array(length) }],
        },
      })
    // Seven octets of head and two of the object.
    expect(identification(244)).toHaveLength(7 + 253)
    expect(() => identification(245)).toThrow('PDU length is 254, expected 1 to 253')
  })
})

describe('refuse()', () => {
  it('answers transaction, unit and function of the request with bit 7 and the code', () => {
    const bytes = encodeModbusResponse({ ...request, pdu: refuse(request.pdu, 2) })
    expect(encodeHex(bytes)).toBe('150100000003ff8302')
    expect(decodeModbusResponse(bytes)).toEqual({
      ok: true,
      value: { transactionId: 0x1501, unitId: 0xff, pdu: { kind: 'exception', functionCode: 3, exceptionCode: 2 } },
    })
  })
})

describe('nextTransactionId()', () => {
  it.each([
    [0, 1],
    [0xfffe, 0xffff],
    [0xffff, 0],
  ])('counts %d on to %d', (last, next) => {
    expect(nextTransactionId(last)).toBe(next)
  })
})

describe('toRegisters()', () => {
  it.each([
    [1, 0x3f80, 0],
    [-118.625, 0xc2ed, 0x4000],
    [0.15625, 0x3e20, 0],
    [0, 0, 0],
  ])('writes %d as the IEEE 754 single %i %i, high word first', (value, high, low) => {
    expect(toRegisters(value)).toEqual([high, low])
    expect(fromRegisters(high, low)).toBe(value)
  })

  it('keeps every single, and rounds every double to the nearest one', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e38, max: 1e38 }), (value) => {
        expect(fromRegisters(...toRegisters(value))).toBe(Math.fround(value))
      }),
      { seed: 5 },
    )
  })
})
