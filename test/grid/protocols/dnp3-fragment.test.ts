/** DNP3 fragments: the control octet, indications of responses only, and objects behind each other. */

import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import {
  type Dnp3Fragment,
  decodeDnp3Fragment,
  dnp3Indication,
  encodeDnp3Fragment,
} from '#grid/protocols/dnp3-fragment.ts'

const whole = { isFirst: true, isFinal: true, confirm: false, unsolicited: false }
const poll = (variation: number) => ({ kind: 'all', group: 60, variation }) as const

const fragments: readonly (readonly [hex: string, fragment: Dnp3Fragment])[] = [
  // The integrity poll: events of the three classes, then all static data.
  [
    'c0013c02063c03063c04063c0106',
    { control: { ...whole, sequence: 0 }, functionCode: 'read', objects: [2, 3, 4, 1].map(poll) },
  ],
  // An outstation that has restarted and needs the time says so: IIN1 90, IIN2 00.
  [
    'f5829000',
    {
      control: { ...whole, confirm: true, unsolicited: true, sequence: 5 },
      functionCode: 'unsolicited_response',
      indications: dnp3Indication.deviceRestart | dnp3Indication.needTime,
      objects: [],
    },
  ],
  // A refusal: IIN1 00, IIN2 02 object unknown.
  [
    'cf810002',
    {
      control: { ...whole, sequence: 15 },
      functionCode: 'response',
      indications: dnp3Indication.objectUnknown,
      objects: [],
    },
  ],
  ['d500', { control: { ...whole, unsolicited: true, sequence: 5 }, functionCode: 'confirm', objects: [] }],
  ['4315', { control: { ...whole, isFirst: false, sequence: 3 }, functionCode: 'disable_unsolicited', objects: [] }],
]

describe('encodeDnp3Fragment()', () => {
  it.each(fragments)('writes %s', (hex, fragment) => {
    expect(encodeHex(encodeDnp3Fragment(fragment))).toBe(hex)
  })

  it('gives a response without indications none of them', () => {
    const response = { control: { ...whole, sequence: 1 }, functionCode: 'response', objects: [] } as const
    expect(encodeHex(encodeDnp3Fragment(response))).toBe('c1810000')
  })
})

describe('decodeDnp3Fragment()', () => {
  it.each(fragments)('reads %s', (hex, fragment) => {
    expect(decodeDnp3Fragment(decodeHex(hex))).toEqual({ ok: true, value: fragment })
  })

  it.each(['01', '14', '15'])('reads the range of function %s without values', (code) => {
    expect(decodeDnp3Fragment(decodeHex(`c0${code}0102000003`))).toMatchObject({
      ok: true,
      value: { objects: [{ kind: 'range', start: 0, stop: 3 }] },
    })
  })

  it('reads the range of a response with its values', () => {
    expect(decodeDnp3Fragment(decodeHex('c08100000102000001' + '8101'))).toMatchObject({
      ok: true,
      value: { objects: [{ kind: 'binary_input', points: [{ flags: 0x81 }, { flags: 1 }] }] },
    })
  })

  it.each([
    ['unsupported', 'function code', 'c007', 1],
    ['truncated', 'internal indications', 'c08100', 2],
    ['truncated', 'function code', 'c0', 1],
    ['unsupported', 'object', 'c0813c003c02063c0203', 7],
  ])('finds the fault %s in the %s of %s', (code, field, hex, offset) => {
    expect(decodeDnp3Fragment(decodeHex(hex))).toMatchObject({ ok: false, fault: { code, field, offset } })
  })
})
