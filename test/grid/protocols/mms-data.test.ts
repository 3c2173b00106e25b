/** MMS data: each kind as BER octets, and data that a subscriber must not follow. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { writeOctets } from '#grid/link/octet-writer.ts'
import { decodeEntries, type MmsData, putData } from '#grid/protocols/mms-data.ts'
import { sweep } from '../../support/sweep.ts'

function hexOf(data: MmsData): string {
  const writer = writeOctets('data')
  putData(writer, data)
  return encodeHex(writer.done())
}

const data: readonly (readonly [hex: string, data: MmsData])[] = [
  ['830101', { kind: 'boolean', value: true }],
  ['830100', { kind: 'boolean', value: false }],
  // Quality: 13 bits, three of the last octet unused.
  ['8403030000', { kind: 'bit_string', unusedBits: 3, bytes: Uint8Array.of(0, 0) }],
  ['8502ff7f', { kind: 'integer', value: -129 }],
  ['86050080000000', { kind: 'unsigned', value: 0x80000000 }],
  ['8705083fc00000', { kind: 'float', value: 1.5 }],
  ['8902beef', { kind: 'octet_string', bytes: Uint8Array.of(0xbe, 0xef) }],
  ['8a03584342', { kind: 'visible_string', value: 'XCB' }],
  ['91086b0081008000000a', { kind: 'utc_time', value: { seconds: 0x6b008100, fraction: 0x800000, quality: 10 } }],
  [
    'a206830101850105',
    {
      kind: 'structure',
      entries: [
        { kind: 'boolean', value: true },
        { kind: 'integer', value: 5 },
      ],
    },
  ],
  ['a103830100', { kind: 'array', entries: [{ kind: 'boolean', value: false }] }],
  ['a200', { kind: 'structure', entries: [] }],
]

describe('putData()', () => {
  it.each(data)('writes %s', (hex, entry) => {
    expect(hexOf(entry)).toBe(hex)
  })

  it('refuses text that is not ASCII', () => {
    expect(() => hexOf({ kind: 'visible_string', value: 'Z\u00fcrich' })).toThrow('holds more than ASCII')
    expect(() => hexOf({ kind: 'visible_string', value: 'a\n' })).toThrow(
      expect.objectContaining({ code: 'malformed_frame' }),
    )
  })
})

describe('putData() of an integer', () => {
  const most = 2 ** 47 - 1

  it.each([most, -most - 1])('writes %d, which takes six octets', (value) => {
    expect(hexOf({ kind: 'integer', value })).toHaveLength(16)
    expect(decodeEntries(decodeHex(hexOf({ kind: 'integer', value })), 0)).toEqual({
      ok: true,
      value: [{ kind: 'integer', value }],
    })
  })

  it.each([most + 1, -most - 2, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d', (value) => {
    expect(() => hexOf({ kind: 'integer', value })).toThrow(
      `Cannot encode GOOSE PDU: integer is ${value}, expected -140737488355328 to 140737488355327`,
    )
  })
})

describe('decodeEntries()', () => {
  it.each(data)('reads %s', (hex, entry) => {
    expect(decodeEntries(decodeHex(hex), 0)).toEqual({ ok: true, value: [entry] })
  })

  it('reads members in their order', () => {
    const hex = data.map(([each]) => each).join('')
    expect(decodeEntries(decodeHex(hex), 0)).toEqual({ ok: true, value: data.map(([, entry]) => entry) })
  })

  it.each([
    ['length', 'boolean', '83020101'],
    ['length', 'boolean', '8300'],
    ['value', 'bit string', '84020800'],
    ['value', 'bit string', '8400'],
    ['length', 'integer', '8500'],
    ['value', 'unsigned', '8601ff'],
    ['unsupported', 'float', '87090b3ff8000000000000'],
    ['unsupported', 'float', '8705093fc00000'],
    ['value', 'visible string', '8a0180'],
    ['length', 't', '910700000000000000'],
    ['unsupported', 'data', '8001ff'],
  ])('finds the fault %s in the %s of %s', (code, field, hex) => {
    expect(decodeEntries(decodeHex(hex), 0)).toMatchObject({ ok: false, fault: { code, field } })
  })

  it('follows structures eight deep, and no deeper', () => {
    const nest = (levels: number) =>
      Array.from({ length: levels }).reduce<MmsData>((inner) => ({ kind: 'structure', entries: [inner] }), {
        kind: 'boolean',
        value: true,
      })
    expect(decodeEntries(decodeHex(hexOf(nest(8))), 0).ok).toBe(true)
    expect(decodeEntries(decodeHex(hexOf(nest(9))), 0)).toMatchObject({
      ok: false,
      fault: { code: 'value', message: expect.stringContaining('nests deeper than 8') },
    })
  })

  it('reads back any tree of data', () => {
    const { tree } = fc.letrec<{ tree: MmsData }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.boolean().map((value) => ({ kind: 'boolean', value }) as const),
        fc.integer().map((value) => ({ kind: 'integer', value }) as const),
        fc.nat().map((value) => ({ kind: 'unsigned', value }) as const),
        fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ kind: 'octet_string', bytes }) as const),
        fc.array(tie('tree'), { maxLength: 4 }).map((entries) => ({ kind: 'array', entries }) as const),
      ),
    }))
    fc.assert(
      fc.property(tree, (entry) => {
        expect(decodeEntries(decodeHex(hexOf(entry)), 0)).toEqual({ ok: true, value: [entry] })
      }),
      { seed: 13, numRuns: sweep(100) },
    )
  })
})
