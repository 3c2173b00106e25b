/** Matching: the order of trials, wildcards, shared thresholds, replacements, and what it costs. */

import { expect, test } from 'vitest'
import { matchAll } from '#ratelimit/match.ts'
import type { Entry } from '#ratelimit/types.ts'
import { beginWork, type Work } from '#ratelimit/work.ts'
import { compileRules, enoughWork } from '../support/compile-rules.ts'

function book(yaml: string) {
  return compileRules([{ key: 'config.d.yaml', text: `domain: d\ndescriptors:\n${yaml}` }])
}

function match(yaml: string, ...descriptors: readonly (readonly Entry[])[]) {
  const request = { domain: 'd', hitsAddend: 0, descriptors: descriptors.map((entries) => ({ entries })) }
  return matchAll(book(yaml), request, 'pre:', enoughWork()).map(({ limit, key }) => [limit?.statKey ?? null, key])
}

const day = 'rate_limit: {unit: day, requests_per_unit: 3}'

test('matchAll() tries exact, then wildcards as declared, then the key without a value', () => {
  const rules = `  - {key: k, ${day}}\n  - {key: k, value: a*, ${day}}\n  - {key: k, value: '*b', ${day}}\n  - {key: k, value: ab, ${day}}\n`
  const of = (value: string) => match(rules, [{ key: 'k', value }])[0]
  expect(of('ab')).toEqual(['d.k_ab', 'pre:d_k_ab_'])
  expect(of('aXb')).toEqual(['d.k_a*', 'pre:d_k_aXb_'])
  expect(of('Xb')).toEqual(['d.k_*b', 'pre:d_k_Xb_'])
  expect(of('c')).toEqual(['d.k', 'pre:d_k_c_'])
  expect(of('')).toEqual(['d.k', 'pre:d_k__'])
})

test('matchAll() counts a shared wildcard under its pattern, only for that entry', () => {
  const rules = `  - key: p\n    value: /a*\n    share_threshold: true\n    descriptors:\n      - {key: u, ${day}}\n`
  const entries = (path: string, user: string) => [
    { key: 'p', value: path },
    { key: 'u', value: user },
  ]
  expect(match(rules, entries('/a1', 'x'), entries('/a2', 'x'), entries('/a2', 'y'))).toEqual([
    ['d.p_/a*.u', 'pre:d_p_/a*_u_x_'],
    ['d.p_/a*.u', 'pre:d_p_/a*_u_x_'],
    ['d.p_/a*.u', 'pre:d_p_/a*_u_y_'],
  ])
})

test.each([
  [
    [
      { key: 'k', value: '' },
      { key: '', value: '' },
      { key: 'j', value: 'v' },
    ],
    'd.k..j_v',
  ],
  [
    [
      { key: '', value: '' },
      { key: 'k', value: 'v' },
    ],
    'd.k_v',
  ],
  [
    [
      { key: '', value: '' },
      { key: '', value: '' },
    ],
    'd.',
  ],
  [
    [
      { key: '', value: 'v' },
      { key: 'k', value: '' },
    ],
    'd._v.k',
  ],
  [[], 'd.'],
])(
  'matchAll() names a limit that travels with %j as the reference: no dot before the first name',
  (entries, statKey) => {
    const limit = { requestsPerUnit: 3, unit: 'DAY' } as const
    const request = { domain: 'd', hitsAddend: 0, descriptors: [{ entries, limit }] }
    const [match] = matchAll(book(`  - {key: k, ${day}}\n`), request, '', enoughWork())
    expect(match?.limit?.statKey).toBe(statKey)
  },
)

test('matchAll() renames statistics after the values where the rules ask for it', () => {
  const wild = `  - {key: k, value: 'a*', value_to_metric: true, ${day}}\n  - {key: j, detailed_metric: true, ${day}}\n`
  expect(match(wild, [{ key: 'k', value: 'a1' }], [{ key: 'j', value: '' }], [{ key: 'j', value: 'z' }])).toEqual([
    ['d.k_a1', 'pre:d_k_a1_'],
    ['d.j_', 'pre:d_j__'],
    ['d.j_z', 'pre:d_j_z_'],
  ])
})

test('matchAll() names a wildcard reached through another key name by key and whole pattern, as the reference', () => {
  const inKey = `  - {key: 'us*r', value: 'a*', share_threshold: true, ${day}}\n`
  expect(match(inKey, [{ key: 'usxr', value: 'ab' }])).toEqual([['d.usxr_us*r_a*', 'pre:d_usxr_us*r_a*_']])
  expect(match(inKey, [{ key: 'us*r', value: 'ab' }])).toEqual([['d.us*r_a*', 'pre:d_us*r_a*_']])
  const joined = `  - {key: a, value: '*', share_threshold: true, ${day}}\n`
  expect(match(joined, [{ key: 'a_b', value: 'c' }])).toEqual([['d.a_b_a_*', 'pre:d_a_b_a_*_']])
  expect(match(joined, [{ key: 'a', value: 'c' }])).toEqual([['d.a_*', 'pre:d_a_*_']])
  const plain = `  - {key: 'us*', metadata: {m: 1}, ${day}}\n`
  expect(match(plain, [{ key: 'user', value: 'x' }])).toEqual([['d.user_us*', 'pre:d_user_x_']])
})

test('matchAll() leaves out the underscore before an empty value below a shared wildcard, as the reference', () => {
  const rules = `  - key: k\n    value: a*\n    share_threshold: true\n    descriptors:\n      - {key: j, detailed_metric: true, ${day}}\n`
  const below = [
    { key: 'k', value: 'ab' },
    { key: 'j', value: '' },
  ]
  expect(match(rules, below)).toEqual([['d.k_a*.j', 'pre:d_k_a*_j__']])
})

test('matchAll() loses the metadata of a detailed_metric limit without rules below, and keeps it above some', () => {
  const leaf = `detailed_metric: true, metadata: {a: 1}, ${day}`
  const metadataOf = (yaml: string, value: string) =>
    matchAll(
      book(yaml),
      { domain: 'd', hitsAddend: 0, descriptors: [{ entries: [{ key: 'k', value }] }] },
      '',
      enoughWork(),
    )[0]?.limit?.metadata
  expect(metadataOf(`  - {key: k, value: v, ${leaf}}\n`, 'v')).toBeNull()
  expect(metadataOf(`  - {key: k, ${leaf}, descriptors: [{key: j}]}\n`, 'anything')).toEqual({ a: 1 })
})

test('matchAll() loses the metadata of a limit whose statistics it renames, and of no other', () => {
  const rules = book(`  - {key: k, value_to_metric: true, metadata: {a: 1}, ${day}}\n`)
  const of = (value: string) =>
    matchAll(
      rules,
      { domain: 'd', hitsAddend: 0, descriptors: [{ entries: [{ key: 'k', value }] }] },
      '',
      enoughWork(),
    )[0]?.limit?.metadata
  expect(of('')).toEqual({ a: 1 })
  expect(of('v')).toBeNull()
})

test('matchAll() drops a limit that another of the request replaces, in any order', () => {
  const rules =
    '  - {key: a, rate_limit: {unit: day, requests_per_unit: 1, name: a}}\n  - {key: b, rate_limit: {unit: day, requests_per_unit: 1, name: b, replaces: [{name: a}]}}\n'
  const entry = (key: string) => [{ key, value: 'v' }]
  expect(match(rules, entry('a'), entry('b')).map(([rule]) => rule)).toEqual([null, 'd.b'])
  expect(match(rules, entry('b'), entry('a')).map(([rule]) => rule)).toEqual(['d.b', null])
  expect(match(rules, entry('a')).map(([rule]) => rule)).toEqual(['d.a'])
})

test('matchAll() finds a rule among a thousand without looking at the others', () => {
  const rules = Array.from({ length: 1_000 }, (_, at) => `  - {key: k, value: v${at}, ${day}}\n`).join('')
  const all = book(rules)
  const children = all.domains.get('d')?.children
  expect(children?.size).toBe(1_000)
  expect(all.domains.get('d')?.wildcards).toEqual([])
  const request = { domain: 'd', hitsAddend: 0, descriptors: [{ entries: [{ key: 'k', value: 'v999' }] }] }
  expect(matchAll(all, request, '', enoughWork())[0]?.limit?.statKey).toBe('d.k_v999')
})

test('matchAll() refuses a request whose wildcards cost more than its budget, and names the setting', () => {
  const rules = Array.from({ length: 100 }, (_, at) => `  - {key: p, value: "*/${at}/*z", ${day}}\n`)
  const descriptors = Array.from({ length: 12 }, () => ({ entries: [{ key: 'p', value: `${'/'.repeat(799)}z` }] }))
  const ask = (work: Work) => matchAll(book(rules.join('')), { domain: 'd', hitsAddend: 0, descriptors }, '', work)
  expect(() => ask(beginWork(900_000))).toThrow(
    expect.objectContaining({
      code: 'request_too_large',
      message: expect.stringContaining('expected at most 900000 comparisons (REQUEST_MAX_COMPARISONS)'),
    }),
  )
  expect(ask(beginWork(1_000_000)).map(({ limit }) => limit)).toEqual(descriptors.map(() => null))
})
