/** Expressions: they fit as the engine's own do, refuse what has no bound, and cost what is charged. */

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { compileExpression, fitsExpression } from '#ratelimit/pattern/expression.ts'
import { beginWork } from '#ratelimit/work.ts'

function fits(expression: string, value: string): boolean {
  return fitsExpression(compileExpression(expression), value, beginWork(1_000_000))
}

test.each([
  ['/v[0-9]+/users/.*', '/v12/users/ada', '/v/users/ada'],
  ['^/v1/(orders|users)$', '/v1/users', '/v1/users/'],
  ['(?:ab){2,3}', 'ababab', 'abababab'],
  ['a{3}', 'aaa', 'aaaa'],
  ['a{2,}b?', 'aaaa', 'ab'],
  ['[^/]+', 'tenant', 'a/b'],
  ['[\\d.-]+', '10.0-1', '10,0'],
  ['\\w+\\s\\S\\D', 'a1_ xy', 'a1_xy'],
  ['\\$\\^\\{\\\\', '$^{\\', '$^{'],
  ['.', '😀', 'ab'],
  ['', '', 'a'],
  ['a|', '', 'b'],
  ['a\\$', 'a$', 'a'],
  ['x.*?y', 'x1y', 'x1yz'],
])('fitsExpression() compares %j with whole values', (expression, right, wrong) => {
  expect([fits(expression, right), fits(expression, wrong)]).toEqual([true, false])
})

test.each([
  ['(a', 'there is a ( without its )', 0],
  ['a)b', 'there is a ) without its (', 1],
  ['[a', 'there is a [ without its ]', 0],
  ['[]', 'a set is empty', 0],
  ['[z-a]', 'a range has no first and last character in order', 1],
  ['*a', '* repeats nothing', 0],
  ['a**', 'a repeat is repeated', 2],
  ['a{2,1}', 'a repeat has its larger number first', 1],
  ['a{1001}', 'a part is repeated more than 1000 times', 1],
  ['a{x}', '{ begins no repeat', 1],
  ['a{23', '{ begins no repeat', 1],
  ['a^b', '^ is within the expression', 1],
  ['a$b', '$ is within the expression', 1],
  ['(a)\\1', '\\1 is not known', 3],
  ['(?=a)', '(? begins no group that is known', 0],
  ['(?<n>a)', '(? begins no group that is known', 0],
  ['a\\', 'it ends with a \\', 1],
  ['\\p', '\\p is not known', 0],
  [`${'('.repeat(21)}a${')'.repeat(21)}`, 'groups are nested deeper than 20', 21],
  ['((a{100}){100}){100}', 'its repeats make more than 1000 states', 0],
  ['a'.repeat(1_001), 'it has 1001 characters', 1_000],
])('compileExpression() refuses %s', (expression, message, at) => {
  expect(() => compileExpression(expression)).toThrow(`character ${at + 1}: ${message}`)
})

test('compileExpression() writes out no repeats of an empty group', () => {
  const expression = `${'('.repeat(19)}${'){1000}'.repeat(19)}`
  expect([fits(expression, ''), fits(expression, 'a')]).toEqual([true, false])
})

test('fitsExpression() charges the ways that take no character as well', () => {
  const work = beginWork(4_000_000)
  fitsExpression(compileExpression('((|){300}a)*'), 'a'.repeat(100), work)
  expect(work.most - work.left).toBeGreaterThan(100 * 300 * 16)
})

/** Expressions of the notation, over two letters, so that values often fit. */
const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', ''),
    fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('')),
    fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('|')),
  ),
  part: fc
    .tuple(tie('expression'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,}', '{0,2}'))
    .map(([body, repeat]) => `(?:${body})${repeat}`),
}))

describe('fitsExpression()', () => {
  it('fits where the engine does', () => {
    fc.assert(
      fc.property(expression, fc.stringMatching(/^[ab]{0,5}$/), (text, value) => {
        expect(fits(text, value)).toBe(new RegExp(`^(?:${text})$`, 'us').test(value))
      }),
      { numRuns: 300 },
    )
  })

  it('takes as long as the value, where an engine that goes back would not end', () => {
    const work = beginWork(4_000_000)
    expect(fitsExpression(compileExpression('(a+)+(a+)+b'), 'a'.repeat(8_000), work)).toBe(false)
    expect(work.most - work.left).toBeLessThan(8_000 * 16 * 16)
  })

  it('refuses with the budget where the open ways cost more', () => {
    const wide = compileExpression('(.?.*){100}x')
    expect(() => fitsExpression(wide, 'a'.repeat(8_000), beginWork(1_000_000))).toThrow('REQUEST_MAX_COMPARISONS')
  })
})
