/** Modbus PDUs from octets: the examples of the specification, padding, and faults by field. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex } from '#base/hex.ts'
import { type OctetReader, readOctets } from '#grid/link/octet-reader.ts'
import { takeRequest, takeResponse } from '#grid/protocols/modbus-pdu-decoding.ts'
import { requests, responseHex, responses } from '../../support/modbus-pdus.ts'
import { mustDecode } from '../../support/must.ts'

/** What a PDU in hex says, or the fault of its octets. */
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
