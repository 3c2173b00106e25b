/** The two checksums against their published check values, and against frames. */

import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '#base/utf8.ts'
import { crcCcitt, crcDnp3 } from '#grid/protocols/crc.ts'
import vectors from '../../vectors/grid-frames.json' with { type: 'json' }

const check = encodeUtf8('123456789')

describe('crcDnp3()', () => {
  it('gives the published check value', () => {
    expect(crcDnp3(check)).toBe(Number(vectors.crc.dnp3.check_123456789))
  })
})

describe('crcCcitt()', () => {
  it('gives the published check value', () => {
    expect(crcCcitt(check)).toBe(Number(vectors.crc.c37118.check_123456789))
  })
})
