/** Text for syslog: one line, bounded, cut between two characters. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clip, countOctets, cutTo, onOneLine, toPrintable } from '#grid/syslog/text.ts'

describe('onOneLine()', () => {
  it('replaces each run of control characters and line ends by one blank', () => {
    expect(onOneLine('a\r\nb\tc\u0085d\u2028\u2029e\0')).toBe('a b c d e ')
  })
})

describe('clip()', () => {
  it('keeps 256 characters', () => {
    expect(clip(`${'x'.repeat(255)}yz`)).toBe(`${'x'.repeat(255)}y`)
  })

  it('keeps no half of a character', () => {
    expect(clip(`${'x'.repeat(255)}😀`)).toBe('x'.repeat(255))
    expect(clip(`${'x'.repeat(254)}😀z`)).toBe(`${'x'.repeat(254)}😀`)
  })
})

describe('toPrintable()', () => {
  it.each([
    ['sluice-1', 8, 'sluice-1'],
    ['a b\tcädé', 8, 'abcd'],
    ['sluice', 3, 'slu'],
    [' ä', 8, '-'],
    ['', 8, '-'],
  ])('makes of %j in %i characters %j', (text, length, expected) => {
    expect(toPrintable(text, length)).toBe(expected)
  })
})

describe('cutTo()', () => {
  it.each([
    ['aä€😀', 10, 'aä€😀'],
    ['aä€😀', 9, 'aä€'],
    ['aä€😀', 6, 'aä€'],
    ['aä€😀', 5, 'aä'],
    ['aä€😀', 2, 'a'],
    ['aä€😀', 0, ''],
    ['aä€😀', -1, ''],
  ])('cuts %j to %i octets as %j', (text, octets, expected) => {
    expect(Buffer.from(cutTo(text, octets)).toString('utf8')).toBe(expected)
  })

  it('keeps the longest beginning that fits, of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, octets) => {
        const kept = Buffer.from(cutTo(text, octets)).toString('utf8')
        const next = [...text.slice(kept.length)][0] ?? ''
        expect(text.startsWith(kept)).toBe(true)
        expect(countOctets(kept)).toBeLessThanOrEqual(octets)
        if (next !== '') expect(countOctets(kept + next)).toBeGreaterThan(octets)
      }),
    )
  })
})
