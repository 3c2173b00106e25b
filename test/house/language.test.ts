import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Phrases that readers stumble over, and what the house says instead (CONTRIBUTING.md, "Language"). */
const phrases: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|such\b)/i, 'is not a'],
  [/\b(?:nobody|somebody|whoever|whatever)\b/i, 'the component that acts'],
  [/\bof its own\b/i, 'own, or the name of the owner'],
]

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
    const offenders = sources('src', 'proto-json', 'durable-objects', 'workers', 'bin', 'console').flatMap(
      ({ path, text }) =>
        text
          .split('\n')
          .filter((line) => /\b(?:nobody|somebody|whoever|whatever)\b/i.test(line))
          .map((line) => `${path}: ${line.trim()}`),
    )
    expect(offenders.join('\n')).toBe('')
  })
})

describe('CONTRIBUTING.md', () => {
  it('names every phrase that messages must not hold', () => {
    const page = readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8')
    for (const word of ['is no', 'nobody', 'whoever', 'whatever', 'of its own']) expect(page).toContain(word)
  })
})
