/** Rules with patterns: which is taken, what is counted, how it is explained, and each mistake in one. */

import { describe, expect, it, test } from 'vitest'
import { parseFiles } from '#ratelimit/config/compile.ts'
import { unknownToReference } from '#ratelimit/config/sluice-blocks.ts'
import { explain } from '#ratelimit/explain.ts'
import { matchAll } from '#ratelimit/match.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { beginWork } from '#ratelimit/work.ts'
import { checkRules, compileShop, enoughWork } from '../../support/compile-rules.ts'
import { createMemoryCounterStore } from '../../support/memory-counter-store.ts'

const day = 'rate_limit: {unit: day, requests_per_unit: 3}'

function match(lines: readonly string[], key: string, ...values: readonly string[]) {
  const descriptors = values.map((value) => ({ entries: [{ key, value }] }))
  const matches = matchAll(compileShop(...lines), { domain: 'shop', hitsAddend: 0, descriptors }, '', enoughWork())
  return matches.map(({ limit, key: counter }) => [limit?.statKey ?? null, counter])
}

describe('a rule with a network', () => {
  const rules = [
    `  - {key: ip, ${day}}`,
    `  - {key: ip, sluice: {cidr: "10.0.0.0/8, 2001:db8::/32"}, ${day}}`,
    `  - {key: ip, sluice: {cidr: 10.1.0.0/16}, share_threshold: true, ${day}}`,
    `  - {key: ip, value: 10.1.2.3, ${day}}`,
  ]

  it.each([
    ['10.1.2.3', 'shop.ip_10.1.2.3', 'shop_ip_10.1.2.3_'],
    ['10.1.2.4', 'shop.ip_10.1.0.0/16', 'shop_ip_10.1.0.0/16_'],
    ['10.2.0.1', 'shop.ip_10.0.0.0/8,2001:db8::/32', 'shop_ip_10.2.0.1_'],
    ['::ffff:10.2.0.1', 'shop.ip_10.0.0.0/8,2001:db8::/32', 'shop_ip_::ffff:10.2.0.1_'],
    ['2001:db8::7', 'shop.ip_10.0.0.0/8,2001:db8::/32', 'shop_ip_2001:db8::7_'],
    ['11.0.0.1', 'shop.ip', 'shop_ip_11.0.0.1_'],
    ['ten', 'shop.ip', 'shop_ip_ten_'],
  ])(
    'is tried after the exact value and before the bare key, the longest network first: %s',
    (value, rule, counter) => {
      expect(match(rules, 'ip', value)).toEqual([[rule, counter]])
    },
  )
})

test('the name of a pattern is not the key of another entry', () => {
  const rules = [`  - {key: ip, sluice: {name: office, cidr: 10.0.0.0/8}, ${day}}`]
  expect(match(rules, 'ip_office', 'any')).toEqual([[null, '']])
})

test('a rule with an expression is taken in the order of declaration, after wildcards and networks', () => {
  const rules = [
    `  - {key: path, sluice: {matches: "/v[0-9]+/.*"}, share_threshold: true, ${day}}`,
    `  - {key: path, sluice: {matches: "/v1/.*"}, ${day}}`,
    `  - {key: path, value: "/v2/*", ${day}}`,
    `  - {key: path, sluice: {matches: "[^/]+"}, value_to_metric: true, ${day}}`,
  ]
  expect(match(rules, 'path', '/v1/users', '/v2/users', '/w', 'plain')).toEqual([
    ['shop.path_/v[0-9]+/.*', 'shop_path_/v[0-9]+/.*_'],
    ['shop.path_/v2/*', 'shop_path_/v2/users_'],
    [null, ''],
    ['shop.path_plain', 'shop_path_plain_'],
  ])
})

test('a rule with a list is tried before networks and expressions, and has its name and not its values in statistics', () => {
  const rules = [
    `  - {key: tenant, ${day}}`,
    `  - {key: tenant, sluice: {matches: "a.*"}, ${day}}`,
    `  - {key: tenant, sluice: {name: pro, values: "acme, globex"}, ${day}}`,
    `  - {key: tenant, sluice: {name: team, values: initech}, share_threshold: true, ${day}}`,
    `  - {key: tenant, value: globex, ${day}}`,
  ]
  expect(match(rules, 'tenant', 'acme', 'globex', 'initech', 'apple', 'pro', 'other')).toEqual([
    ['shop.tenant_pro', 'shop_tenant_acme_'],
    ['shop.tenant_globex', 'shop_tenant_globex_'],
    ['shop.tenant_team', 'shop_tenant_team_'],
    ['shop.tenant_a.*', 'shop_tenant_apple_'],
    // The name of a list, and the text of a pattern, are values as others are.
    ['shop.tenant', 'shop_tenant_pro_'],
    ['shop.tenant', 'shop_tenant_other_'],
  ])
})

test('a value in two lists of its key is a mistake, at each level and over merged files', () => {
  const list = (name: string, values: string) => `{key: t, sluice: {name: ${name}, values: "${values}"}, ${day}}`
  const file = (...lines: readonly string[]) => `domain: shop\ndescriptors:\n${lines.join('\n')}\n`
  const check = (...texts: readonly string[]) =>
    checkRules(
      texts.map((text, at) => ({ key: `config.${at}.yaml`, text })),
      { mergeDomains: true },
    ).mistakes.map(({ path, line, message }) => [path, line, message])
  const twice = "the list 'pro' has 'b' as well"
  const wrong = file(`  - ${list('pro', 'a, b')}`, `  - ${list('team', 'b, c')}`)
  expect(check(wrong)).toEqual([['descriptors[1].sluice.values', 4, twice]])
  expect(check(file(`  - ${list('pro', 'a b')}`), file(`  - ${list('team', 'c b')}`))).toEqual([
    ['descriptors[0].sluice.values', 3, twice],
  ])
  const levels = file('  - key: a', '    descriptors:', `      - ${list('pro', 'a')}`, `  - ${list('team', 'a')}`)
  expect(check(levels)).toEqual([])
})

test('explain() lists the patterns as they are tried', async () => {
  const rules = compileShop(
    `  - {key: ip, sluice: {name: few, values: 10.0.0.1}, ${day}}`,
    `  - {key: ip, sluice: {matches: "1.*"}, ${day}}`,
    `  - {key: ip, sluice: {cidr: 10.0.0.0/8}, ${day}}`,
  )
  const counters = createMemoryCounterStore({ now: () => 0 })
  const context = { rules, settings: readSettings({}), counters, nowMs: 0 }
  const request = { domain: 'shop', hitsAddend: 0, descriptors: [{ entries: [{ key: 'ip', value: '11.0.0.1' }] }] }
  const { descriptors } = await explain(request, context)
  expect(descriptors[0]?.levels[0]?.trials).toEqual([
    { kind: 'exact', pattern: 'ip_11.0.0.1', isTaken: false },
    { kind: 'list', pattern: 'ip_few', isTaken: false },
    { kind: 'network', pattern: 'ip_10.0.0.0/8', isTaken: false },
    { kind: 'expression', pattern: 'ip_1.*', isTaken: true },
  ])
})

test('a thousand networks cost one look-up, and expressions whose beginning differs cost nearly nothing', () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => [
    `  - {key: ip, sluice: {cidr: 10.${at >> 8}.${at & 255}.0/24}, ${day}}`,
    `  - {key: path, sluice: {matches: "/${at}/[a-z]+"}, ${day}}`,
  ]).flat()
  const rules = compileShop(...lines)
  const cost = (key: string, value: string) => {
    const work = beginWork(1_000_000)
    const [found] = matchAll(
      rules,
      { domain: 'shop', hitsAddend: 0, descriptors: [{ entries: [{ key, value }] }] },
      '',
      work,
    )
    return [found?.limit?.statKey, work.most - work.left] as const
  }
  const [network, networkUnits] = cost('ip', '10.3.231.9')
  expect(network).toBe('shop.ip_10.3.231.0/24')
  expect(networkUnits).toBeLessThan(500)
  const [expression, expressionUnits] = cost('path', '/999/abc')
  expect(expression).toBe('shop.path_/999/[a-z]+')
  expect(expressionUnits).toBeLessThan(10_000)
})

test.each([
  ['{key: ip, value: x, sluice: {cidr: 10.0.0.0/8}}', 'sluice', 'sluice excludes a value'],
  ['{key: "i*", sluice: {cidr: 10.0.0.0/8}}', 'sluice', "the key of a descriptor with sluice holds a '*'"],
  ['{key: ip, sluice: {}}', 'sluice', 'sluice has no values, cidr or matches'],
  ['{key: ip, sluice: {values: a}}', 'sluice.name', 'a list of values has no name'],
  ['{key: ip, sluice: {name: n, values: ","}}', 'sluice.values', 'values is empty'],
  ['{key: ip, sluice: {name: n, values: "a b a"}}', 'sluice.values', "values has 'a' twice"],
  ['{key: ip, sluice: {name: n, values: a, cidr: 10.0.0.0/8}}', 'sluice', 'sluice has both values and cidr'],
  ['{key: ip, sluice: {cidr: 10.0.0.0/8, matches: x}}', 'sluice', 'sluice has both cidr and matches'],
  ['{key: ip, sluice: {cidr: "10.0.0.0/8 10.0.0.1/8"}}', 'sluice.cidr', "invalid network '10.0.0.1/8'"],
  ['{key: ip, sluice: {cidr: ","}}', 'sluice.cidr', "invalid network ''"],
  ['{key: ip, sluice: {matches: "(a"}}', 'sluice.matches', "invalid expression '(a'"],
  ['{key: ip, sluice: {matches: "(a+)\\\\1"}}', 'sluice.matches', "invalid expression '(a+)\\1'"],
  ['{key: ip, sluice: {cird: 10.0.0.0/8}}', 'sluice.cird', "config error, unknown key 'cird'"],
])('checkFiles() refuses the descriptor %s', (descriptor, path, message) => {
  const text = `domain: shop\ndescriptors:\n  - ${descriptor}\n`
  const { mistakes } = checkRules([{ key: 'config.shop.yaml', text }])
  expect(mistakes[0]).toMatchObject({ path: `descriptors[0].${path}`, line: 3, message })
})

test('unknownToReference() names the block of a descriptor', () => {
  const text = `domain: shop\ndescriptors:\n  - key: a\n    descriptors:\n      - {key: ip, sluice: {cidr: 10.0.0.0/8}}\n`
  expect(unknownToReference(parseFiles([{ key: 'config.shop.yaml', text }]))).toMatchObject([
    { path: 'descriptors[0].descriptors[0].sluice', line: 5 },
  ])
})
