import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '../../bin/project.ts'
import { sources } from './source.ts'

const product = sources('src', 'proto-json', 'durable-objects', 'workers', 'bin')

/** Texts of one line in quotes or backticks; comments are not texts. */
function textsOf(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
  return [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)].map(
    ([found]) => found,
  )
}

/** Words that hide who acts. */
const hiding = /\b(?:nobody|somebody|anybody|everybody|whoever|whatever)\b/i

/** Phrases that readers stumble over, and what the house says instead (CONTRIBUTING.md, "Language"). */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|such\b)/i, 'is not a'],
  [hiding, 'the component that acts'],
  [/\bof its own\b/i, 'own, or the name of the owner'],
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

/** The lines with a word that hides who acts, each behind its file. */
function hidingLines(texts: readonly { readonly path: string; readonly text: string }[]): string {
  return texts
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .filter((line) => hiding.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    .join('\n')
}

describe('messages that users see', () => {
  it('are plain', () => {
    const offenders = product.flatMap(({ path, text }) =>
      textsOf(text).flatMap((message) =>
        phrases
          .filter(([phrase]) => phrase.test(message))
          .map(([, instead]) => `${path}: ${message}: ${instead}`),
      ),
    )
    expect(offenders.join('\n')).toBe('')
  })
})

describe('comments', () => {
  it('say which component acts', () => {
    const code = sources('src', 'proto-json', 'durable-objects', 'workers', 'bin', 'console')
    expect(hidingLines(code)).toBe('')
  })
})

describe('pages', () => {
  it('say which component acts', () => {
    expect(pages.length).toBeGreaterThan(30)
    expect(hidingLines(pages)).toBe('')
  })

  it('are found to hide it by what checks them', () => {
    expect(hidingLines([{ path: 'docs/page.md', text: 'Without a token\nEverybody is refused.\n' }])).toBe(
      'docs/page.md: Everybody is refused.',
    )
  })
})

describe('CONTRIBUTING.md', () => {
  it('names every phrase that messages must not hold', () => {
    const page = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8')
    for (const word of ['is no', 'nobody', 'whoever', 'whatever', 'of its own']) expect(page).toContain(word)
  })
})
