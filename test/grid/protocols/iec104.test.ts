/** IEC 60870-5-104 APDUs: the three formats octet by octet, sequence numbers, and faults of the control field. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { decodeIec104, encodeIec104, type Iec104Apdu, iec104Unnumbered } from '#grid/protocols/iec104.ts'

/** A general interrogation of station 1, the first message of most masters. */
const interrogation: Iec104Apdu = {
  format: 'I',
  sendSequence: 0,
  receiveSequence: 0,
  asdu: {
    type: 'C_IC_NA_1',
    isSequence: false,
    cause: 6,
    isNegative: false,
    isTest: false,
    originator: 0,
    commonAddress: 1,
    objects: [{ address: 0, qualifier: 20 }],
  },
}

const apdus: readonly (readonly [hex: string, apdu: Iec104Apdu])[] = [
  ['680407000000', { format: 'U', function: 'STARTDT_ACT' }],
  ['68040b000000', { format: 'U', function: 'STARTDT_CON' }],
  ['680413000000', { format: 'U', function: 'STOPDT_ACT' }],
  ['680423000000', { format: 'U', function: 'STOPDT_CON' }],
  ['680443000000', { format: 'U', function: 'TESTFR_ACT' }],
  ['680483000000', { format: 'U', function: 'TESTFR_CON' }],
  ['680401000200', { format: 'S', receiveSequence: 1 }],
  ['68040100feff', { format: 'S', receiveSequence: 32_767 }],
  ['680e0000000064010600010000000014', interrogation],
  ['680efeff020064010600010000000014', { ...interrogation, sendSequence: 32_767, receiveSequence: 1 }],
]

describe('encodeIec104()', () => {
  it.each(apdus)('writes %s', (hex, apdu) => {
    expect(encodeHex(encodeIec104(apdu))).toBe(hex)
  })

  it('refuses a sequence number of 16 bits', () => {
    expect(() => encodeIec104({ format: 'S', receiveSequence: 32_768 })).toThrow(
      expect.objectContaining({ code: 'malformed_frame' }),
    )
    expect(() => encodeIec104({ ...interrogation, sendSequence: 32_768 })).toThrow('N(S) is 65536')
  })

  it('holds at most 253 octets behind the length', () => {
    const measured = (count: number) =>
      encodeIec104({
        ...interrogation,
        asdu: {
          ...interrogation.asdu,
          type: 'M_ME_NC_1',
          isSequence: true,
          objects: Array.from({ length: count }, (_, at) => ({ address: at, value: 0, quality: 0 })),
        },
      })
    // 4 of control field, 6 of head, 3 of address, 5 for each object: 48 fit.
    expect(measured(48)[1]).toBe(253)
    expect(() => measured(49)).toThrow('Cannot encode IEC 104 APDU: 260 octets, expected at most 255')
  })
})

describe('decodeIec104()', () => {
  it.each(apdus)('reads %s', (hex, apdu) => {
    expect(decodeIec104(decodeHex(hex))).toEqual({ ok: true, value: apdu })
  })

  it.each([
    ['protocol', 'start', '690407000000'],
    ['length', 'length', '680507000000'],
    ['length', 'length', '6803070000'],
    ['length', 'length', '68040700000000'],
    ['value', 'control field', '680405000200'],
    ['value', 'control field', '680401000300'],
    ['value', 'N(R)', '680e0000010064010600010000000014'],
    ['unsupported', 'control field', '68040f000000'],
    ['unsupported', 'control field', '680407000100'],
    ['trailing', 'end', '68050100020000'],
  ])('finds the fault %s in the %s of %s', (code, field, hex) => {
    expect(decodeIec104(decodeHex(hex))).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('reads six control functions, one for each bit of clause 5.1, and no other first octet', () => {
    const known = Array.from({ length: 64 }, (_, at) => at * 4 + 3).filter(
      (octet) => decodeIec104(Uint8Array.of(0x68, 4, octet, 0, 0, 0)).ok,
    )
    expect(known).toEqual(Object.values(iec104Unnumbered).sort((one, other) => one - other))
  })
})
