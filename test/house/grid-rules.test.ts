import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'

const page = readFileSync(join(projectRoot, 'docs/grid.md'), 'utf8')
const rules = [...page.matchAll(/^- \*\*(G-[A-Z])(\d+)\*\*/gm)].map(([, section = '', number]) => ({
  section,
  number: Number(number),
}))

/** Text of every file of the project that may cite a rule. */
const texts = ['docs', 'src', 'durable-objects', 'workers', 'test', 'soak', 'bench']
  .flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|md|html)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  .map((path) => ({ path, text: readFileSync(path, 'utf8') }))

describe('the rules of docs/grid.md', () => {
  it('are numbered in order within their section, each once', () => {
    const last = new Map<string, number>()
    for (const { section, number } of rules) {
      expect(`${section}${number}`).toBe(`${section}${(last.get(section) ?? 0) + 1}`)
      last.set(section, number)
    }
    expect(rules.length).toBeGreaterThan(80)
  })

  it('exist wherever the project cites one', () => {
    const known = new Set(rules.map(({ section, number }) => `${section}${number}`))
    const unknown = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\bG-[A-Z]\d+\b/g)]
        .map(([cited]) => cited)
        .filter((cited) => !known.has(cited))
        .map((cited) => `${path}: ${cited}`),
    )
    expect(unknown).toEqual([])
  })

  it('name tests, benches and sources that exist', () => {
    const paths = [...page.matchAll(/`((?:src|test|bench|workers|durable-objects)\/[\w./-]+?\.ts)`/g)].map(
      ([, path = '']) => path,
    )
    expect(paths.length).toBeGreaterThan(40)
    expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  })
})
