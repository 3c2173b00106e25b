/** No text takes the parser for ever: nesting, mistakes and documents are bounded before anything is built. */

import { expect, test } from 'vitest'
import { mistakeText } from '#ratelimit/config/compile.ts'
import { isYamlMistake } from '#ratelimit/config/document.ts'
import { checkRules } from '../../support/compile-rules.ts'
import { parseSyntax, parseYaml } from '../../support/read-yaml.ts'

const tooDeep = 'nested deeper than 200 levels'

// Without the bound these take the package minutes, or the process with them.
test.each([
  ['open lists', '['.repeat(200_000)],
  ['lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['open maps', '{a: '.repeat(100_000)],
  ['maps', `${'{a: '.repeat(50_000)}1${'}'.repeat(50_000)}`],
  ['items in one line', '- '.repeat(200_000)],
  ['keys in one line', '? '.repeat(200_000)],
  ['values in one line', ': '.repeat(200_000)],
  ['anchors', '&a '.repeat(100_000)],
  ['tags', '!t '.repeat(100_000)],
])('parseSyntax() refuses 200,000 characters of %s at once', (_, text) => {
  expect(parseSyntax(text)).toEqual({ line: 1, message: tooDeep })
})

test('parseSyntax() names the line at which nesting goes too deep', () => {
  const lines = ['domain: d', 'descriptors:', `  - ${'['.repeat(201)}`]
  expect(parseSyntax(lines.join('\n'))).toEqual({ line: 3, message: tooDeep })
})

test('parseSyntax() ends at the first mistake, however many there are', () => {
  for (const text of [']'.repeat(50_000), '[]'.repeat(25_000), `${'a: b: c\n'.repeat(10_000)}`]) {
    expect(isYamlMistake(parseYaml(text))).toBe(true)
  }
})

// As a pattern that began anew at each of these characters this took minutes.
test('parseSyntax() looks once at what is before a colon without a key, however long it is', () => {
  const text = `domain: d\nx: [ &${'&'.repeat(500_000)},: y]\n`
  expect(parseSyntax(text)).toMatchObject({ line: 2, message: expect.stringContaining("before the ':'") })
})

test('parseSyntax() reads only the first document, however many there are', () => {
  const syntax = parseSyntax(`domain: d\n${'---\n'.repeat(50_000)}`)
  expect('root' in syntax && String(syntax.root)).toBe('{"domain":"d"}')
})

test('parseSyntax() takes brackets and indicators inside scalars for text', () => {
  const text = `a: "${'['.repeat(500)}"\nb: x${'['.repeat(500)}\nc: |\n  ${'- '.repeat(500)}\n# ${'{'.repeat(500)}\n`
  expect('root' in parseSyntax(text)).toBe(true)
})

test('parseSyntax() takes a long list of short maps', () => {
  const text = `descriptors:\n${'  - {key: a, value: b}\n'.repeat(2_000)}`
  expect('root' in parseSyntax(text)).toBe(true)
})

test('parseYaml() refuses what nests by turns, brackets or indentation', () => {
  const inTurns = `${'[{a: '.repeat(150)}1${'}]'.repeat(150)}`
  const indented = Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')
  for (const text of [inTurns, indented]) expect(parseYaml(text)).toMatchObject({ message: tooDeep })
})

test('checkFiles() reports it in the form of every mistake of a file', () => {
  const [mistake] = checkRules([{ key: 'config.f.yaml', text: `domain: ${'['.repeat(40_000)}` }]).mistakes
  expect(mistake && mistakeText(mistake)).toBe(`config.f.yaml: error loading config file: yaml: line 1: ${tooDeep}`)
})

test.each([
  ['carriage returns alone', 'domain: d\rdescriptors:\r- key: a\r'],
  ['carriage returns and line feeds', 'domain: d\r\ndescriptors:\r\n- key: a\r\n'],
  ['next lines', 'domain: d\u0085descriptors:\u0085- key: a\u0085'],
])('parseSyntax() takes %s for line ends', (_, text) => {
  const syntax = parseSyntax(text)
  expect('root' in syntax && String(syntax.root)).toBe('{"domain":"d","descriptors":[{"key":"a"}]}')
})

// The package takes these; the reference's parser does not.
test.each([
  ['a control character', 'domain: d\na: \u0001\n', { line: 2, message: 'control characters are not allowed' }],
  ['another version', '%YAML 1.2\n---\ndomain: d\n', { line: 1, message: 'found incompatible YAML document' }],
  ['an unknown directive', '# a\n%FOO bar\n---\ndomain: d\n', { line: 2, message: 'found unknown directive name' }],
])('parseSyntax() refuses %s', (_, text, mistake) => {
  expect(parseSyntax(text)).toEqual(mistake)
})

test('parseSyntax() takes the directives of YAML 1.1', () => {
  expect('root' in parseSyntax('%YAML 1.1\n%TAG !y! tag:yaml.org,2002:\n---\ndomain: !y!str d\n')).toBe(true)
})

// Named in docs/choices.md: the reference lets these pass, and drops what follows the first mapping.
test.each([
  ['a first mapping that ends before the text does', '  domain: d\ndescriptors: []\n'],
  ['a mark of a document within brackets', 'domain: d\nx: {a: 1,\n---\nb: 2}\n'],
  ['a dash as a value within brackets', 'domain: d\nx: {a: -}\n'],
])('parseSyntax() refuses %s', (_, text) => {
  expect(parseSyntax(text)).toHaveProperty('message')
})

// The package takes these; the reference's parser, which knows YAML 1.1 only, does not.
test.each([
  ['the escape of a slash', 'a: |\n  "\\/"\nb: "http:\\/\\/x"', 3, 'found unknown escape character'],
  ['half of a pair', 'a: "\\ud83d\\ude00"', 1, 'found invalid Unicode character escape code'],
  ['half of a pair in eight digits', 'a: "\\U0000DE00"', 1, 'found invalid Unicode character escape code'],
  ['a question mark in plain text within brackets', 'a: c?\nb: {url: http://x/?q=1}', 2, "before a '?'"],
  ['a colon without a key', 'a: b\nmetadata:\n  : c\n', 3, "expected one before the ':'"],
  ['a colon without a key in a list', 'a:\n- : b\n', 2, "expected one before the ':'"],
  ['a colon without a key within brackets', 'a: {: b}', 1, "expected one before the ':'"],
  ['a tag that a bracket ends', 'a: b\nc: [!]', 2, 'whitespace or line break after a tag'],
  ['a tag that a comma ends', 'a: {b: !!str, c: d}', 1, 'whitespace or line break after a tag'],
  ['a tag with a number sign', 'a: !b#c d', 1, 'whitespace or line break after a tag'],
  ['a line of a tab', 'a: b\n\t\nc: d', 2, 'found a tab character that violates indentation'],
  ['a line of blanks and a tab within its block', 'a:\n  b: c\n  \t\n', 3, 'tab character that violates indentation'],
  ['a tab before the first line', '\t# c\na: b', 1, 'found character that cannot start any token'],
  ['a tab behind quotes and a line break', 'a: "b"\n  \t# c\nd: e', 2, 'character that cannot start any token'],
  ['a tab behind a dash', 'a:\n-\t\n  b: c', 2, 'found character that cannot start any token'],
])('parseSyntax() refuses %s', (_, text, line, message) => {
  expect(parseSyntax(text)).toEqual({ line, message: expect.stringContaining(message) })
})

// Empty keys that both take.
test.each([
  ['a question mark', 'a:\n  ? \n  : b', { a: { '': 'b' } }],
  ['an anchor', 'a: {&x : b}', { a: { '': 'b' } }],
  ['an anchor without brackets', 'a:\n  &x : b', { a: { '': 'b' } }],
  ['a tag', 'a: {!!str : b}', { a: { '': 'b' } }],
  ['an anchor and a tab', 'a: {&x \t : b}', { a: { '': 'b' } }],
  ['nothing, where a tag makes a value', 'a: !!str\nb: [!!str , c]\n', { a: '', b: ['', 'c'] }],
])('parseSyntax() takes the empty text behind %s', (_, text, value) => {
  const syntax = parseSyntax(text)
  expect('root' in syntax && JSON.parse(JSON.stringify(syntax.root))).toEqual(value)
})

// The reference's parser takes these; the package does not.
test.each([
  ['a comment right behind quotes', 'a: "b"#c\nd: e', { a: 'b', d: 'e' }],
  ['a comment right behind brackets', 'a: [b,#c\n  d]#e', { a: ['b', 'd'] }],
  ['brackets that go on left of their key', 'a:\n  b: {c: d,\n e:\nf\n}', { a: { b: { c: 'd', e: 'f' } } }],
  ['quotes that go on left of their key', 'a:\n  b: "c\nd"\n  e: \'f\n  g\'', { a: { b: 'c d', e: 'f g' } }],
  ['tabs within brackets, in text and at the end of a line', 'a: [\n\tb]\t\nc: d\n \te\t\n \t', { a: ['b'], c: 'd e' }],
  ['any directive behind the document', 'a: b\n...\n%c d\n---\ne: f', { a: 'b' }],
  ['an escaped apostrophe', `a: "it\\'s \\\\'\\"'"\nb: c`, { a: `it's \\'"'`, b: 'c' }],
  ['what means something else elsewhere', 'a: "\\\\/ ?"\nb: ["?", \'\\/?\', c]', { a: '\\/ ?', b: ['?', '\\/?', 'c'] }],
])('parseSyntax() takes %s', (_, text, value) => {
  const syntax = parseSyntax(text)
  expect('root' in syntax && JSON.parse(String(syntax.root))).toEqual(value)
})

test('parseSyntax() makes one error of a text in which each of many tokens is a mistake', () => {
  const text = `domain: d\n${'""'.repeat(10_000)}`
  expect(parseSyntax(text)).toMatchObject({ line: 2, message: expect.any(String) })
  expect(parseSyntax('""'.repeat(10_000))).toEqual({ line: 1, message: 'Unexpected double-quoted-scalar at node end' })
})

test('parseSyntax() refuses more tokens than are composed at once', () => {
  const text = (items: number) => `domain: d\ndescriptors: [${'1,'.repeat(items)}]`
  const message = expect.stringContaining('more than 200000 keys, values and indicators')
  expect(parseSyntax(text(100_000))).toEqual({ line: 2, message })
  expect('root' in parseSyntax(text(99_990))).toBe(true)
})
