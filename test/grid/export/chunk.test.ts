/** Chunks: every octet once and in order, none empty, none much larger than its size. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8 } from '#base/utf8.ts'
import { chunkSize, inChunks, inTextChunks } from '#grid/export/chunk.ts'

describe('inChunks()', () => {
  it.each([
    [[], []],
    [[0, 0], []],
    [[1], [1]],
    [
      [chunkSize - 1, 1, 1],
      [chunkSize, 1],
    ],
    [[chunkSize], [chunkSize]],
    [
      [chunkSize - 1, 5000, 7],
      [chunkSize + 4999, 7],
    ],
  ])('joins pieces of %j octets to chunks of %j', (pieces, chunks) => {
    expect([...inChunks(pieces.map((length) => new Uint8Array(length)))].map(({ length }) => length)).toEqual(chunks)
  })

  it('hands on what it was given, in order', () => {
    const sizes = fc.array(fc.nat(9000), { maxLength: 30 })
    fc.assert(
      fc.property(sizes, (lengths) => {
        const pieces = lengths.map((length, at) => new Uint8Array(length).fill(at + 1))
        const chunks = [...inChunks(pieces)]
        expect(Buffer.compare(concatBytes(...chunks), concatBytes(...pieces))).toBe(0)
        for (const { length } of chunks.slice(0, -1)) expect(length).toBeGreaterThanOrEqual(chunkSize)
      }),
      { seed: 23, numRuns: 30 },
    )
  })

  it('reads no further than the chunk that was asked for', () => {
    let read = 0
    const pieces = (function* () {
      for (; read < 1000; read++) yield new Uint8Array(1024)
    })()
    inChunks(pieces).next()
    expect(read).toBeLessThan(17)
  })
})

describe('inTextChunks()', () => {
  it('writes UTF-8, a character never in two chunks', () => {
    const text = Array.from({ length: 10_000 }, () => '\u20ac')
    const chunks = [...inTextChunks(text)]
    expect(chunks.length).toBe(2)
    expect(chunks.map(decodeUtf8).join('')).toBe(text.join(''))
  })
})
