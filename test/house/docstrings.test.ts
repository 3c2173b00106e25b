import { describe, expect, it } from 'vitest'
import { sources } from './source.ts'

const files = sources('src', 'proto-json', 'durable-objects', 'workers', 'console')
const declaration = /^export (?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/

describe('every file', () => {
  it('opens with a sentence that is true of everything in it', () => {
    expect(files.filter(({ text }) => !text.startsWith('/**')).map(({ path }) => path)).toEqual([])
  })
})

describe('every export', () => {
  it('has a docstring', () => {
    const bare = files.flatMap(({ path, text }) => undocumented(text).map((name) => `${path}: ${name}`))
    expect(bare).toEqual([])
  })
})

describe('every docstring', () => {
  const relativeClause = /\/\*\*\s*(?:\*\s)?\s*(?:What|Whether|Where|Which|Who|Whose|When|How|Why)\b.*/g

  // This file has them as examples.
  const all = [...files, ...sources('bin', 'bench', 'soak', 'test')].filter(
    ({ path }) => path !== 'test/house/docstrings.test.ts',
  )

  it('says what a thing is or does, and does not begin with a relative clause', () => {
    const offenders = all.flatMap(({ path, text }) =>
      [...text.matchAll(relativeClause)].map(([line]) => `${path}: ${line}`),
    )
    expect(offenders).toEqual([])
  })

  it('is found to begin with one by what checks it', () => {
    const texts = ['/** What a report says. */', '/**\n * Which rule matches.\n */', '/** Whichever rule. */']
    expect(texts.flatMap((text) => text.match(relativeClause) ?? [])).toHaveLength(2)
  })
})

/** Names of exported declarations whose preceding line does not end a comment; overloads count once. */
function undocumented(text: string): readonly string[] {
  const lines = text.split('\n')
  const seen = new Set<string>()
  return lines.flatMap((line, index) => {
    const name = declaration.exec(line)?.[1]
    if (name === undefined || seen.has(name)) return []
    seen.add(name)
    const before = lines.slice(0, index).findLast((candidate) => !candidate.startsWith('// biome-ignore'))
    return before?.trimEnd().endsWith('*/') ? [] : [name]
  })
}
