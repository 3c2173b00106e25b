/** Identifiers of STIX objects: canonical JSON as RFC 8785 prints it, and UUIDs of an independent implementation. */

import { describe, expect, it } from 'vitest'
import { canonicalJson } from '#base/canonical-json.ts'
import { observableId, ownId } from '#grid/export/stix-id.ts'
import vectors from '../../vectors/grid-stix.json' with { type: 'json' }

describe('canonicalJson()', () => {
  it('sorts keys by their UTF-16 code units, as the example of RFC 8785 section 3.2.3', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    const names = [...canonicalJson(value).matchAll(/:"([A-Z][a-z]+)/g)].map(([, name]) => name)
    expect(names).toEqual(['Carriage', 'One', 'Control', 'Latin', 'Euro', 'Emoji', 'Hebrew'])
  })

  it('writes numbers and literals as the example of section 3.2.2', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      literals: [null, true, false],
    }
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}',
    )
  })

  it('leaves out what is undefined, at any depth, and keeps null', () => {
    expect(canonicalJson({ b: undefined, a: { d: undefined, c: null } })).toBe('{"a":{"c":null}}')
  })
})

describe('observableId()', () => {
  it.each(vectors.uuid5_vectors)('names $type $name', ({ type, name, id }) => {
    expect(observableId(type, JSON.parse(name))).toBe(id)
  })
})

describe('ownId()', () => {
  it('is a version 5 UUID of type and key, the same at every export', () => {
    const id = ownId('campaign', 'session 1')
    expect(id).toMatch(/^campaign--[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ownId('campaign', 'session 1')).toBe(id)
    const others = [ownId('campaign', 'session 2'), ownId('sighting', 'session 1')]
    expect(new Set([id, ...others].map((each) => each.slice(-36))).size).toBe(3)
  })
})
