import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'

const text = readFileSync(join(projectRoot, 'docs/choices.md'), 'utf8')
const cited = [...new Set([...text.matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map((match) => match[1] ?? ''))]

describe('docs/choices.md', () => {
  it('has a section for every surface', () => {
    for (const surface of ['grid', 'ratelimit', 'streamnet', 'devnode']) expect(text).toContain(`\n## ${surface}\n`)
  })

  it('cites tests that exist', () => {
    expect(cited.length).toBeGreaterThan(10)
    expect(cited.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  })
})
