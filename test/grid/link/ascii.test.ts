/** ASCII in frames: characters 32 to 126 both ways, and what has others. */

import { describe, expect, it } from 'vitest'
import { decodeAscii, encodeAscii } from '#grid/link/ascii.ts'
import { readOctets } from '#grid/link/octet-reader.ts'

const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).join('')

describe('encodeAscii()', () => {
  it('writes one octet for each character, and decodeAscii() reads it', () => {
    const octets = encodeAscii(printable, 'frame')
    expect([octets[0], octets[94], octets.length]).toEqual([0x20, 0x7e, 95])
    const reader = readOctets(octets, 'frame')
    expect(reader.finish(decodeAscii(reader, reader.take(95, 'text'), 'text'))).toEqual({ ok: true, value: printable })
  })

  it.each(['\x1f', '\x7f', 'Ü'])('refuses %j', (text) => {
    expect(() => encodeAscii(text, 'frame')).toThrow('Cannot encode frame: text')
  })
})

describe('decodeAscii()', () => {
  it.each([0x1f, 0x7f])('names the field with octet %i', (octet) => {
    const reader = readOctets(Uint8Array.of(0x41, octet), 'frame')
    const outcome = reader.finish(decodeAscii(reader, reader.take(2, 'goID'), 'goID'))
    expect(outcome).toMatchObject({ ok: false, fault: { code: 'value', field: 'goID' } })
  })
})
