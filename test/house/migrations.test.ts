import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { sources } from './source.ts'

/**
 * Every statement that was ever published, by the first eight hex digits of its SHA-256, in its order.
 *
 * An object remembers only how many statements it has run, so an edited one never runs where it ran before.
 * A statement is added here when it is added to its list; nothing here is ever changed or removed.
 */
const published: Readonly<Record<string, readonly string[]>> = {
  'durable-objects/ratelimit/storage/counters.ts': ['c8bd0798', '0ebddbb3', '60fb980c', '9a7fc709'],
  'durable-objects/streamnet/storage/node.ts': ['b5e63486'],
  'durable-objects/ratelimit/storage/rule-book.ts': ['80a35627', '2a73b929', '24c86380'],
  'durable-objects/streamnet/storage/signer.ts': ['364c849c', '97a35149', 'b407ca77', '6de3a500', 'dd5db57e'],
  'durable-objects/grid/storage/simulation-directory.ts': ['35617f47'],
  'durable-objects/grid/storage/simulation.ts': [
    '7a3c7207',
    '265c32b2',
    '451596f8',
    '9c8d672c',
    '79fdaed3',
    '3fd25f65',
    '36329036',
    '13716047',
    'f2ac1f5c',
    '2027f337',
    'cc0c17a4',
  ],
  'durable-objects/ratelimit/storage/stats.ts': [
    '6d834ac7',
    'd2c91587',
    '9479340b',
    'd43530d3',
    'ea6adfaf',
    'f7c8492c',
  ],
  'durable-objects/ratelimit/storage/store-blocks.ts': ['8d3d8dfa', '6714e4cd'],
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
    const callers = sources('durable-objects').filter(({ text }) => /\bmigrate\(storage/.test(text))
    expect(lists.map(({ path }) => path).sort()).toEqual(
      callers
        .map(({ path }) => path)
        .filter((path) => !path.endsWith('/migrate.ts'))
        .sort(),
    )
    expect(Object.keys(published).sort()).toEqual(lists.map(({ path }) => path).sort())
  })

  it.each(lists)('of $path make tables that docs/storage.md names', ({ statements }) => {
    const page = readFileSync(join(projectRoot, 'docs/storage.md'), 'utf8')
    const tables = statements.flatMap((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? [])
    const dropped = statements.flatMap((statement) => /^DROP TABLE (\w+)/.exec(statement)?.[1] ?? [])
    expect(tables.length).toBeGreaterThan(0)
    const isNamed = (table: string) =>
      page.includes(`| \`${table}\` |`) || page.includes(`table, \`${table}\``)
    expect(tables.filter((table) => !dropped.includes(table) && !isNamed(table))).toEqual([])
  })

  it.each(lists)('of $path are never edited, removed or reordered', ({ path, statements }) => {
    const pinned = published[path] ?? []
    const advice = `${path}: a published migration was edited. Objects that ran it will not run it again: restore it, and append a new statement that changes what it made.`
    expect(statements.slice(0, pinned.length).map(hash), advice).toEqual(pinned)
    const append = `${path}: append these hashes to the list in this test, and add a fixture to test/vectors/state (make.mjs there says how).`
    expect(statements.slice(pinned.length).map(hash), append).toEqual([])
  })
})
