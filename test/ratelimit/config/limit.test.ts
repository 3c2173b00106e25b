/** The limit of a descriptor: its numbers, and every mistake in the order of the reference. */

import { describe, expect, it } from 'vitest'
import { compileLimit } from '#ratelimit/config/limit.ts'
import type { DocumentMistake } from '#ratelimit/config/mistake.ts'
import { limitStatNames } from '#ratelimit/statistics/names.ts'
import { units } from '#ratelimit/window.ts'
import { readDocument } from '../../support/read-yaml.ts'

const path = 'descriptors[0].rate_limit'

/** Compiles the limit of the descriptor `k` with these lines below it. */
function compiled(...lines: readonly string[]) {
  const { document } = readDocument(
    ['domain: shop', 'descriptors:', '  - key: k', ...lines.map((line) => `    ${line}`)].join('\n'),
  )
  const block = document?.descriptors[0]
  if (block === undefined) throw new Error('the document has no descriptor')
  const mistakes: DocumentMistake[] = []
  const report = (mistake: DocumentMistake) => void mistakes.push(mistake)
  return { limit: compileLimit(block, { statKey: 'shop.k', path, report }), mistakes }
}

describe('compileLimit()', () => {
  it('has the numbers of the block, the options of the descriptor and the names of its statistics', () => {
    const { limit, mistakes } = compiled(
      'shadow_mode: true',
      'detailed_metric: true',
      'metadata: {owner: ann}',
      'rate_limit: {unit: HOUR, requests_per_unit: 5, name: five, replaces: [{name: ten}]}',
    )
    expect(mistakes).toEqual([])
    expect(limit).toEqual({
      rateLimit: { requestsPerUnit: 5, unit: 'HOUR', name: 'five' },
      requestsPerUnit: 5,
      name: 'five',
      replaces: ['ten'],
      isShadow: true,
      isQuota: false,
      hasDetailedMetric: true,
      metadata: { owner: 'ann' },
      statKey: 'shop.k',
      stats: limitStatNames('shop.k'),
    })
  })

  it.each(units)('reads the unit %s in any case', (unit) => {
    for (const text of [unit, unit.toLowerCase()]) {
      const { limit, mistakes } = compiled(`rate_limit: {unit: ${text}, requests_per_unit: 1}`)
      expect([limit?.rateLimit, mistakes]).toEqual([{ requestsPerUnit: 1, unit }, []])
    }
  })

  it('is null without a block', () => {
    expect(compiled('value: v')).toEqual({ limit: null, mistakes: [] })
  })

  it('counts nothing when it is unlimited', () => {
    const { limit, mistakes } = compiled('rate_limit: {unlimited: true, requests_per_unit: 7}')
    expect([limit?.rateLimit, limit?.requestsPerUnit, mistakes]).toEqual([null, 7, []])
  })

  it.each([
    ['minutes', 'did you mean "minute"? '],
    ['fortnight', ''],
    ['""', ''],
  ])('reports the unit %s at its line and is null', (unit, near) => {
    const { limit, mistakes } = compiled('rate_limit:', '  requests_per_unit: 1', `  unit: ${unit}`)
    expect(limit).toBeNull()
    expect(mistakes).toEqual([
      {
        path: `${path}.unit`,
        line: 6,
        message: `invalid rate limit unit '${unit === '""' ? '' : unit}'`,
        hint: `${near}expected one of second, minute, hour, day, week, month, year`,
      },
    ])
  })

  it('reports the unit of an unlimited limit, which stays unlimited', () => {
    const { limit, mistakes } = compiled('rate_limit: {unlimited: true, unit: day}')
    expect(limit?.rateLimit).toBeNull()
    expect(mistakes.map(({ message }) => message)).toEqual(['should not specify rate limit unit when unlimited'])
  })

  it('reports the unit first, then what it replaces, in the order of writing', () => {
    const { mistakes } = compiled('rate_limit: {name: five, replaces: [{name: five}, {name: ""}, {name: ten}]}')
    expect(mistakes.map(({ path: at, message }) => [at, message])).toEqual([
      [`${path}.unit`, "invalid rate limit unit ''"],
      [`${path}.replaces`, 'replaces should not contain name of same descriptor'],
      [`${path}.replaces`, 'should not have an empty replaces entry'],
    ])
  })
})
