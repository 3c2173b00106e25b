/** Cutting streams of masters: every protocol by its lengths, in chunks of any size, and what has no length. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinBytes } from '#base/bytes.ts'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { cutMessages, type FieldProtocol } from '#grid/field/framing.ts'

const samples: Readonly<Record<FieldProtocol, string>> = {
  Modbus: '000100000006010400000008',
  IEC104: '680e0000000064010600ffff00000014',
  DNP3: '056414c40b000100672fc0c0013c02063c03063c04063c01068a51',
  'C37.118': 'aa4100120004692488800000000000057a3c',
  MMS: '0300001b02f08001000100610e300c020103a007a0050201048200',
}

describe('cutMessages()', () => {
  it.each(Object.entries(samples))('cuts %s wherever its chunks begin', (name, hex) => {
    // The keys of the table are protocols.
    const protocol = name as FieldProtocol
    const stream = joinBytes([1, 2, 3].map(() => decodeHex(hex)))
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), stream.length]
        let rest = new Uint8Array(0)
        const messages: string[] = []
        for (const [at, from] of cuts.slice(0, -1).entries()) {
          const cut = cutMessages(protocol, joinBytes([rest, stream.subarray(from, cuts[at + 1])]))
          if (cut === undefined) return false
          messages.push(...cut.messages.map(encodeHex))
          rest = Uint8Array.from(cut.rest)
        }
        return rest.length === 0 && messages.length === 3 && messages.every((one) => one === hex)
      }),
    )
  })

  it.each([
    ['Modbus', '000100000001'],
    ['Modbus', '0001000000ff'],
    ['IEC104', '670e'],
    ['IEC104', '6803'],
    ['DNP3', '056504'],
    ['DNP3', '056404'],
    ['C37.118', 'aa410008'],
    ['C37.118', 'aa410401'],
    ['C37.118', '47455420'],
  ] as const)('finds no length in %s of %s', (protocol, hex) => {
    expect(cutMessages(protocol, decodeHex(hex))).toBeUndefined()
  })
})
