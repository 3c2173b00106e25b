/** The index of many wildcards: the same rule as one after the other, for less work. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Domain } from '#ratelimit/rule-book.ts'
import { fits } from '#ratelimit/wildcard.ts'
import { findInIndex, type WildcardIndex } from '#ratelimit/wildcard-index.ts'
import { beginWork } from '#ratelimit/work.ts'
import { compileRules, enoughWork } from '../support/compile-rules.ts'
import { sweep } from '../support/sweep.ts'

/** A domain with a wildcard for each composite, and the index of these. */
function indexed(composites: readonly string[]): { readonly domain: Domain; readonly index: WildcardIndex } {
  const lines = composites.map((key) => `  - key: ${JSON.stringify(key)}`)
  const text = ['domain: d', 'descriptors:', ...lines].join('\n')
  const domain = compileRules([{ key: 'config.d.yaml', text }]).domains.get('d')
  if (domain?.index == null) throw new Error('there is not an index')
  return { domain, index: domain.index }
}

const padding = Array.from({ length: 13 }, (_, at) => `pad${at}*`)

describe('indexWildcards()', () => {
  it('agrees with the first as declared that fits, for any patterns and texts', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    const patterns = fc.uniqueArray(
      fc.tuple(letters, letters).map(([one, other]) => `${one}*${other}`),
      { minLength: 1, maxLength: 30 },
    )
    const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(patterns, words, (composites, texts) => {
        const { domain, index } = indexed([...composites, ...padding])
        for (const text of texts) {
          const first = domain.wildcards.find(({ wildcard }) => wildcard !== null && fits(wildcard, text, enoughWork()))
          expect(findInIndex(index, text, enoughWork())?.composite).toBe(first?.composite)
        }
      }),
      { seed: 11, numRuns: sweep(500) },
    )
  })

  it('looks at as much among two thousand beginnings or ends as among twenty', () => {
    const unitsOf = (count: number, nameOf: (at: number) => string) => {
      const { index } = indexed(Array.from({ length: count }, (_, at) => nameOf(10_000 + at)))
      const work = beginWork(1_000_000)
      expect(findInIndex(index, 'k_10007/x/10007', work)?.composite).toBe(nameOf(10_007))
      return work.most - work.left
    }
    for (const nameOf of [(at: number) => `k_${at}/*`, (at: number) => `k_*/${at}`, (at: number) => `k_${at}/*x*7`])
      expect(unitsOf(2_000, nameOf)).toBe(unitsOf(20, nameOf))
  })

  it('searches for the middles of those with one beginning and end until one that fits, each charged', () => {
    const { index } = indexed(Array.from({ length: 100 }, (_, at) => `p_*/${at}/*z`))
    const slashes = `p_${'/'.repeat(7_999)}z`
    const work = beginWork(1_000_000)
    expect(findInIndex(index, slashes, work)).toBeUndefined()
    expect(work.most - work.left).toBeGreaterThan(100 * 8_000)
    expect(() => findInIndex(index, slashes, work)).toThrow('REQUEST_MAX_COMPARISONS')
  })
})
