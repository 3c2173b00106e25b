import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { sources } from './source.ts'

const product = ['src', 'proto-json', 'durable-objects', 'workers', 'bin']

/** Texts of one line in quotes or backticks; comments are not texts. */
function textsOf(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(([found]) => found)
}

/** Words that hide who acts. */
const hiding = /\b(?:nobody|somebody|anybody|everybody|whoever|whatever)\b/i

/** Phrases that readers stumble over, and what the house says instead (CONTRIBUTING.md, "Language"). */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|such\b)/i, 'is not a'],
  [hiding, 'the component that acts'],
  [/\bof its own\b/i, 'own, or the name of the owner'],
]

/** Words that make a picture; in comments and on pages, and not in code, where a person or a listener may bear them. */
const pictures: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\b(?:is|are) told\b/i, 'gets'],
  [/\bhears?\b/i, 'gets'],
  [/\bstands?\b/i, 'is, means, represents'],
  [/\balone\b/i, 'only'],
]

/** Every page that a reader opens. CONTRIBUTING.md is not one of them: it shows the words as examples. */
const pages = [
  'README.md',
  'CHANGELOG.md',
  ...['docs', 'examples', 'bench'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name))),
  ),
].map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }))

/** The lines of comments; what is in backticks is code. */
function commentsOf(text: string): string {
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*$/gm) ?? []
  return comments.join('\n').replace(/`[^`\n]*`/g, '')
}

/** The first argument of `describe`, `it` and `test`, with or without a table of cases. */
const title =
  /(?:\b(?:describe|it|test)(?:\.\w+)*\(|\)\()\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g

/** The titles of tests, a line each. */
function titlesOf(text: string): string {
  return [...text.matchAll(title)].map(([, found = '']) => found.slice(1, -1)).join('\n')
}

/** The lines with a phrase that the house does not use, each behind its file and before what to say instead. */
function offendingLines(texts: readonly { readonly path: string; readonly text: string }[]): string {
  return texts
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line) =>
          [...phrases, ...pictures]
            .filter(([phrase]) => phrase.test(line))
            .map(([, instead]) => `${path}: ${line.trim()}: ${instead}`),
        ),
    )
    .join('\n')
}

describe('messages that users see', () => {
  it('have no word of the table in CONTRIBUTING.md', () => {
    const offenders = sources(...product).flatMap(({ path, text }) =>
      textsOf(text).flatMap((message) =>
        phrases.filter(([phrase]) => phrase.test(message)).map(([, instead]) => `${path}: ${message}: ${instead}`),
      ),
    )
    expect(offenders.join('\n')).toBe('')
  })
})

describe('comments', () => {
  it('say which component acts, in words without a picture', () => {
    const code = sources(...product, 'console', 'bench', 'soak', 'test')
    // This file has the words.
    const read = code.filter(({ path }) => path !== 'test/house/language.test.ts')
    expect(offendingLines(read.map(({ path, text }) => ({ path, text: commentsOf(text) })))).toBe('')
  })

  it('are the only part of code that is read', () => {
    const text = "/** Stands. */\nconst alone = 'stands' // Hears.\nconst url = 'http://alone'"
    expect(commentsOf(text)).toBe('/** Stands. */\n// Hears.')
  })
})

describe('titles of tests', () => {
  it('say which component acts, in words without a picture', () => {
    const tests = sources('test').filter(({ path }) => path !== 'test/house/language.test.ts')
    const titles = tests.map(({ path, text }) => ({ path, text: titlesOf(text) }))
    expect(titles.reduce((sum, { text }) => sum + text.split('\n').length, 0)).toBeGreaterThan(5_000)
    expect(offendingLines(titles)).toBe('')
  })

  it('are read from every form in which a test is written', () => {
    const text = "describe('a', () => {\n  it.each([1])(\n    'b %i', f)\n  test.skipIf(x)(`c`, f)\n  expect('d')\n})"
    expect(titlesOf(text)).toBe('a\nb %i\nc')
  })
})

describe('pages', () => {
  it('say which component acts, in words without a picture', () => {
    expect(pages.length).toBeGreaterThan(30)
    expect(offendingLines(pages)).toBe('')
  })

  it.each([
    ['Everybody is refused.', 'the component that acts'],
    ['The caller is told so.', 'gets'],
    ['The port stands open.', 'is, means, represents'],
    ['The port is no socket.', 'is not a'],
    ['It has a port of its own.', 'own, or the name of the owner'],
  ])('are found to say %j by what checks them', (line, instead) => {
    expect(offendingLines([{ path: 'docs/page.md', text: `Without a token\n${line}\n` }])).toBe(
      `docs/page.md: ${line}: ${instead}`,
    )
  })
})

describe('CONTRIBUTING.md', () => {
  it('names every phrase that the house does not use', () => {
    const page = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8')
    for (const word of ['is no', 'nobody', 'whoever', 'whatever', 'of its own', 'is told', 'stands', 'alone'])
      expect(page).toContain(word)
  })
})
