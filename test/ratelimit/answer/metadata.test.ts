/** Dynamic metadata: what was asked in words, and the merge of what the rules carry. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#base/json.ts'
import { dynamicMetadata, mergeMetadata } from '#ratelimit/answer/metadata.ts'
import type { DecidedDescriptor } from '#ratelimit/answer/respond.ts'
import { unlimited, unlimitedByNothing } from '#ratelimit/decision/decide.ts'
import { defaultOptions, type Limit } from '#ratelimit/rule-book.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'
import type { Code, Descriptor } from '#ratelimit/types.ts'

const descriptor: Descriptor = {
  entries: [
    { key: 'path', value: '/a' },
    { key: 'user', value: '' },
  ],
}

function limitWith(metadata: JsonObject | null, isUnlimited = false): Limit {
  return {
    ...defaultOptions,
    metadata,
    rateLimit: isUnlimited ? null : { requestsPerUnit: 1, unit: 'DAY' },
    requestsPerUnit: 1,
    statKey: 'shop.k',
    stats: limitStatNames('shop.k'),
  }
}

function decidedWith(limit: Limit | null, code: Code = 'OK'): DecidedDescriptor {
  return { match: { descriptor, limit, key: '', isReplaced: false }, status: { ...unlimitedByNothing, code } }
}

const metadataOf = (...decided: readonly DecidedDescriptor[]) =>
  dynamicMetadata({ domain: 'shop', descriptors: [], hitsAddend: 0 }, decided).metadata

describe('dynamicMetadata()', () => {
  it('describes what was asked', () => {
    const asked = { domain: 'shop', hitsAddend: 4, descriptors: [descriptor, { entries: [], hitsAddend: 0n }] }
    expect(dynamicMetadata(asked, [])).toEqual({
      domain: 'shop',
      hitsAddend: 4,
      descriptors: [{ entries: ['path=/a', 'user='] }, { entries: [], hitsAddend: 0 }],
    })
  })

  it('leaves out an addend of 0 and empty metadata', () => {
    const asked = { domain: 'shop', hitsAddend: 0, descriptors: [] }
    expect(dynamicMetadata(asked, [decidedWith(limitWith({}))])).toEqual({ domain: 'shop', descriptors: [] })
  })

  it.each([
    [5, 'DAY', 'requests_per_unit:5 unit:DAY'],
    [0, 'HOUR', 'unit:HOUR'],
    [1, 'WEEK', 'requests_per_unit:1 unit:7'],
  ] as const)('writes a limit of %i a %s as protobuf text', (requestsPerUnit, unit, text) => {
    const asked = { domain: 'shop', hitsAddend: 0, descriptors: [{ entries: [], limit: { requestsPerUnit, unit } }] }
    expect(dynamicMetadata(asked, []).descriptors).toEqual([{ entries: [], limit: text }])
  })

  it('merges what the rules of descriptors that are not over carry', () => {
    expect(
      metadataOf(
        decidedWith(limitWith({ owner: 'ann' })),
        decidedWith(limitWith({ owner: 'bob', team: 'x' })),
        decidedWith(limitWith({ refused: true }), 'OVER_LIMIT'),
        decidedWith(limitWith(null)),
        decidedWith(null),
      ),
    ).toEqual({ owner: 'ann', team: 'x' })
  })

  it('leaves out what an unlimited rule carries', () => {
    const match = { descriptor, limit: limitWith({ owner: 'ann' }, true), key: '', isReplaced: false }
    expect(metadataOf({ match, status: unlimited })).toBeUndefined()
  })
})

describe('mergeMetadata()', () => {
  it.each([
    [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    [{ a: 1 }, { a: 2 }, { a: 1 }],
    [{ a: null }, { a: 2 }, { a: null }],
    [{ a: { b: 1 } }, { a: { b: 2, c: 3 } }, { a: { b: 1, c: 3 } }],
    [{ a: { b: 1 } }, { a: 2 }, { a: { b: 1 } }],
    [{ a: 1 }, { a: { b: 2 } }, { a: 1 }],
    [{ a: [1] }, { a: [2] }, { a: [1] }],
    [{}, {}, {}],
  ] satisfies readonly (readonly [JsonObject, JsonObject, JsonObject])[])(
    'of %j and %j is %j',
    (first, second, merged) => {
      expect(mergeMetadata(first, second)).toEqual(merged)
    },
  )

  it('keeps every key of both, takes a name such as __proto__ for a key, and is the same when merged again', () => {
    const object = fc.dictionary(
      fc.constantFrom('a', 'b', '__proto__', 'constructor'),
      fc.oneof(fc.integer(), fc.dictionary(fc.constantFrom('a', 'b'), fc.integer(), { noNullPrototype: true })),
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(object, object, (first, second) => {
        const merged = mergeMetadata(first, second)
        expect(Object.keys(merged).sort()).toEqual([...new Set([...Object.keys(first), ...Object.keys(second)])].sort())
        expect(mergeMetadata(merged, second)).toEqual(merged)
        expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
      }),
      { seed: 6 },
    )
  })
})
