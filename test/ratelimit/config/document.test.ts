/** Any text at all is a tree or a mistake, never a crash. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mistakeText } from '#ratelimit/config/compile.ts'
import { isYamlMistake } from '#ratelimit/config/document.ts'
import { dumpRules } from '#ratelimit/config/dump.ts'
import { goText } from '#ratelimit/config/yaml-node.ts'
import { checkRules } from '../../support/compile-rules.ts'
import { parseYaml } from '../../support/read-yaml.ts'
import { sweep } from '../../support/sweep.ts'

const pieces = fc.constantFrom(
  'domain: d\n',
  'descriptors:\n',
  '  - key: a\n',
  '    value: a*\n',
  '    rate_limit: {unit: day, requests_per_unit: 1}\n',
  '    descriptors: &x\n',
  '    metadata: *x\n',
  '<<: *x\n',
  '? [a]\n: b\n',
  '---\n',
  '%YAML 1.2\n',
  '\t',
  '{',
  ']',
  '!!int "x"\n',
  '|\n  text\n',
  '"\\u0000"\n',
  '__proto__: 1\n',
)

test('checkFiles() answers any text with rules or mistakes', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(pieces, { maxLength: 12 }).map((some) => some.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const { rules, mistakes } = checkRules([{ key: 'config.f.yaml', text }])
      for (const mistake of mistakes) {
        expect(mistakeText(mistake).startsWith('config.f.yaml: ')).toBe(true)
        expect(mistake.line).toBeGreaterThanOrEqual(1)
      }
      if (mistakes.length === 0) expect(typeof dumpRules(rules)).toBe('string')
    }),
    { seed: 17, numRuns: sweep(3_000, 60) },
  )
})

test.each([
  ['[a, 1, ~, yes, [b, {c: d}]]', '[a 1 <nil> true [b map[c:d]]]'],
  ['{value: x, key: a, rate_limit: {unit: day, name: nn}}', 'map[key:a rate_limit:map[name:nn unit:day] value:x]'],
  [
    '[9223372036854775808, -0.0, 1e21, 1234567.5, 999999.5, 0.0001, 0.00001]',
    '[9223372036854775808 -0 1e+21 1.2345675e+06 999999.5 0.0001 1e-05]',
  ],
  ['[.inf, -.inf, .nan]', '[+Inf -Inf NaN]'],
])('goText() prints %s as Go does', (text, printed) => {
  const tree = parseYaml(text)
  if (isYamlMistake(tree)) throw new Error(tree.message)
  expect(goText(tree)).toBe(printed)
})
