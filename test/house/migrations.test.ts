import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { sources } from './source.ts'

/**
 * Every migration of the lists, by the first eight hex digits of its SHA-256, in its order.
 *
 * An object remembers only how many migrations it has run, so an edited one never runs where it ran before.
 * A migration is added here when it is added to its list; what a release has published is never changed or removed.
 */
const published: Readonly<Record<string, readonly string[]>> = {
  'durable-objects/grid/storage/simulation-directory.ts': ['35617f47', 'ad6ab425'],
  'durable-objects/grid/storage/simulation.ts': ['145b4400', '4f3eca37', 'de62069f'],
  'durable-objects/ratelimit/storage/counters.ts': ['3428b340'],
  'durable-objects/ratelimit/storage/pools.ts': ['2d632ec5'],
  'durable-objects/ratelimit/storage/rule-book.ts': ['490982ce'],
  'durable-objects/ratelimit/storage/stats.ts': ['6e9d06f0'],
  'durable-objects/ratelimit/storage/store-blocks.ts': ['1e0752ab'],
  'durable-objects/streamnet/storage/node.ts': ['b5e63486'],
  'durable-objects/streamnet/storage/signer.ts': ['2d2a79c1'],
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** The statements of a file's list, as SQLite gets them. */
function statementsOf(text: string): readonly string[] | undefined {
  const list = /^const migrations = (\[[\s\S]*?^\]|\[.*\])/m.exec(text)?.[1]
  // The list is literal text by the convention of the folder; evaluating it is reading it.
  return list === undefined ? undefined : (new Function(`return ${list}`)() as readonly string[])
}

const lists = sources('durable-objects').flatMap(({ path, text }) => {
  const statements = statementsOf(text)
  return statements === undefined ? [] : [{ path, statements }]
})

describe('published migrations', () => {
  it('are all pinned here', () => {
    const callers = sources('durable-objects').filter(({ text }) => /\b(?:migrate|openTables)\(storage/.test(text))
    expect(lists.map(({ path }) => path).sort()).toEqual(
      callers
        .map(({ path }) => path)
        .filter((path) => !/\/base\/(?:migrate|tables)\.ts$/.test(path))
        .sort(),
    )
    expect(Object.keys(published).sort()).toEqual(lists.map(({ path }) => path).sort())
  })

  it.each(lists)('of $path make tables that docs/storage.md names', ({ statements }) => {
    const page = readFileSync(join(projectRoot, 'docs/storage.md'), 'utf8')
    const tables = [...statements.join(';\n').matchAll(/^\s*CREATE TABLE (\w+)/gm)].map(([, name = '']) => name)
    expect(tables.length).toBeGreaterThan(0)
    const isNamed = (table: string) => page.includes(`| \`${table}\` |`) || page.includes(`table, \`${table}\``)
    expect(tables.filter((table) => !isNamed(table))).toEqual([])
  })

  it.each(lists)('of $path are never edited, removed or reordered', ({ path, statements }) => {
    const pinned = published[path] ?? []
    const advice = `${path}: a published migration was edited. Objects that ran it will not run it again: restore it, and append a new statement that changes what it made.`
    expect(statements.slice(0, pinned.length).map(hash), advice).toEqual(pinned)
    const append = `${path}: append these hashes to the list in this test, and add a fixture to test/vectors/state (make.mjs there says how).`
    expect(statements.slice(pinned.length).map(hash), append).toEqual([])
  })
})
