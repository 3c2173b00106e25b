/** ASDUs of IEC 60870-5-101: the information elements of every type bit by bit, sequences, and faults. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { readOctets } from '#grid/link/octet-reader.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import {
  type Iec104Asdu,
  type Iec104Objects,
  iec104Cause,
  iec104Types,
  putAsdu,
  takeAsdu,
} from '#grid/protocols/iec104-asdu.ts'
import { toCp56Time } from '#grid/protocols/iec104-time.ts'

const header = {
  isSequence: false,
  cause: iec104Cause.spontaneous,
  isNegative: false,
  isTest: false,
  originator: 0,
  commonAddress: 0x0203,
}

function hexOf(asdu: Iec104Asdu): string {
  const writer = writeOctets('ASDU')
  putAsdu(writer, asdu)
  return encodeHex(writer.done())
}

function read(hex: string) {
  const reader = readOctets(decodeHex(hex), 'ASDU')
  const asdu = takeAsdu(reader)
  return asdu === undefined ? reader.refuse() : reader.finish(asdu)
}

/** 2026-11-20T16:00:00.000Z, a Friday: 0 ms, minute 0, hour 16, day 20 of weekday 5, month 11, year 26. */
const time = toCp56Time(1_795_190_400_000)
const timeHex = '00000010b40b1a'

/** One object of each type behind its address 0x010203, with every bit of its element that can be set. */
const elements: readonly (readonly [hex: string, objects: Iec104Objects])[] = [
  ['f1', { type: 'M_SP_NA_1', objects: [{ address: 0x010203, isOn: true, quality: 0xf0 }] }],
  ['42', { type: 'M_DP_NA_1', objects: [{ address: 0x010203, state: 2, quality: 0x40 }] }],
  ['00002a4281', { type: 'M_ME_NC_1', objects: [{ address: 0x010203, value: 42.5, quality: 0x81 }] }],
  [`80${timeHex}`, { type: 'M_SP_TB_1', objects: [{ address: 0x010203, isOn: false, quality: 0x80, time }] }],
  [`13${timeHex}`, { type: 'M_DP_TB_1', objects: [{ address: 0x010203, state: 3, quality: 0x10, time }] }],
  [`0000a0bf00${timeHex}`, { type: 'M_ME_TF_1', objects: [{ address: 0x010203, value: -1.25, quality: 0, time }] }],
  ['85', { type: 'C_SC_NA_1', objects: [{ address: 0x010203, isOn: true, select: true, qualifier: 1 }] }],
  ['0e', { type: 'C_DC_NA_1', objects: [{ address: 0x010203, state: 2, select: false, qualifier: 3 }] }],
  ['00002a42ff', { type: 'C_SE_NC_1', objects: [{ address: 0x010203, value: 42.5, select: true, qualifier: 127 }] }],
  ['14', { type: 'C_IC_NA_1', objects: [{ address: 0x010203, qualifier: 20 }] }],
  [
    'd202964965',
    { type: 'M_IT_NA_1', objects: [{ address: 0x010203, count: 1_234_567_890, sequence: 5, quality: 0x60 }] },
  ],
  ['05', { type: 'C_CI_NA_1', objects: [{ address: 0x010203, qualifier: 5 }] }],
  ['', { type: 'C_RD_NA_1', objects: [{ address: 0x010203 }] }],
  ['aa55', { type: 'C_TS_NA_1', objects: [{ address: 0x010203, pattern: 0x55aa }] }],
  [`0700${timeHex}`, { type: 'C_TS_TA_1', objects: [{ address: 0x010203, pattern: 7, time }] }],
  [timeHex, { type: 'C_CS_NA_1', objects: [{ address: 0x010203, time }] }],
]

/** The whole ASDU around an element. */
function wire(element: string, { type }: Iec104Objects): string {
  return `${iec104Types[type].code.toString(16).padStart(2, '0')}01030003020302` + `01${element}`
}

describe('putAsdu()', () => {
  it.each(elements)('writes the element %s', (element, objects) => {
    expect(hexOf({ ...header, ...objects })).toBe(wire(element, objects))
  })

  it('covers every type', () => {
    expect(elements.map(([, { type }]) => type).sort()).toEqual(Object.keys(iec104Types).sort())
  })

  it('writes refusal, test and originator around the cause', () => {
    const refused = { cause: iec104Cause.unknownObjectAddress, isNegative: true, isTest: true, originator: 9 }
    const asdu: Iec104Asdu = { ...header, ...refused, type: 'C_IC_NA_1', objects: [{ address: 0, qualifier: 20 }] }
    expect(hexOf(asdu)).toBe('6401ef09030200000014')
    expect(read('6401ef09030200000014')).toEqual({ ok: true, value: asdu })
  })

  it('writes the address of a sequence once', () => {
    const objects = [7, 8, 9].map((address) => ({ address, isOn: address === 8, quality: 0 }))
    const asdu: Iec104Asdu = { ...header, isSequence: true, type: 'M_SP_NA_1', objects }
    expect(hexOf(asdu)).toBe('018303000302' + '070000' + '000100')
    expect(read(hexOf(asdu))).toEqual({ ok: true, value: asdu })
    expect(hexOf({ ...asdu, isSequence: false })).toBe('010303000302' + '07000000' + '08000001' + '09000000')
  })

  it('refuses a sequence whose addresses do not follow each other', () => {
    const objects = [7, 9].map((address) => ({ address, isOn: true, quality: 0 }))
    expect(() => hexOf({ ...header, isSequence: true, type: 'M_SP_NA_1', objects })).toThrow(
      'Cannot encode IEC 104 ASDU: address 9 breaks the sequence',
    )
  })

  it('takes 1 to 127 objects', () => {
    const asdu = (length: number): Iec104Asdu => ({
      ...header,
      isSequence: true,
      type: 'M_SP_NA_1',
      objects: Array.from({ length }, (_, address) => ({ address, isOn: false, quality: 0 })),
    })
    expect(hexOf(asdu(127)).slice(2, 4)).toBe('ff')
    for (const count of [0, 128]) {
      expect(() => hexOf(asdu(count))).toThrow(`${count} objects, expected 1 to 127`)
    }
  })
})

describe('takeAsdu()', () => {
  it.each(elements)('reads the element %s', (element, objects) => {
    expect(read(wire(element, objects))).toEqual({ ok: true, value: { ...header, ...objects } })
  })

  it.each(elements)('refuses the element %s with an octet more or less', (element, objects) => {
    const hex = wire(element, objects)
    for (const other of [hex.slice(0, -2), `${hex}00`]) {
      expect(read(other)).toMatchObject({ ok: false, fault: { code: 'length', field: 'variable structure' } })
    }
  })

  it.each([
    ['SIQ', 'M_SP_NA_1', '02'],
    ['SIQ', 'M_SP_TB_1', `08${timeHex}`],
    ['DIQ', 'M_DP_NA_1', '04'],
    ['QDS', 'M_ME_NC_1', '0000000002'],
    ['SCO', 'C_SC_NA_1', '02'],
  ] as const)('refuses reserved bits of the %s of %s', (field, type, element) => {
    const hex = `${iec104Types[type].code.toString(16).padStart(2, '0')}01030003020302` + `01${element}`
    expect(read(hex)).toMatchObject({ ok: false, fault: { code: 'value', field } })
  })

  it.each([
    ['unsupported', 'type', '02010300030203020100'],
    ['length', 'variable structure', '010003000302'],
    ['length', 'variable structure', '01ff03000302'],
    ['truncated', 'common address', '0101030003'],
  ])('finds the fault %s in the %s of %s', (code, field, hex) => {
    expect(read(hex)).toMatchObject({ ok: false, fault: { code, field } })
  })
})
