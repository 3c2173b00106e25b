/** Revisions in the storage of an object: each has its files, however they changed, and old ones go. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { ruleBookTables } from '#objects/ratelimit/storage/rule-book.ts'
import type { Changes } from '#ratelimit/contract/configuration.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

let made = 0
/** Runs a test with the empty storage of a new object. */
function withStorage(run: (storage: DurableObjectStorage) => void): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`rule book tables test ${made}`), (_, { storage }) => run(storage))
}

const changes: Changes = { files: { added: [], changed: [], removed: [] }, rules: [] }
const revisionOf = (revision: number) => ({ revision, at: revision, who: 'ada', changes })

test('files() gives every kept revision as it was appended (property)', async () => {
  await withStorage((storage) => {
    const keys = fc.constantFrom('a', 'b', 'c', 'd')
    const configuration = fc.dictionary(keys, fc.constantFrom('one', 'two', 'three'))
    const histories = fc.tuple(fc.array(configuration, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }))
    fc.assert(
      fc.property(histories, ([history, kept]) => {
        const { sql } = storage
        const tables = ruleBookTables(storage)
        for (const table of ['revisions', 'files', 'refusals']) sql.exec(`DELETE FROM ${table}`)
        for (const [at, files] of history.entries()) {
          const list = Object.entries(files).map(([key, text]) => ({ key, text }))
          tables.append(revisionOf(at + 1), list, kept)
        }
        expect(tables.newest()).toBe(history.length)
        const first = Math.max(1, history.length - kept + 1)
        expect(tables.files(first - 1)).toBeNull()
        expect(tables.files(history.length + 1)).toBeNull()
        for (let revision = first; revision <= history.length; revision++) {
          const expected = Object.entries(history[revision - 1] ?? {}).sort()
          expect(tables.files(revision)?.map(({ key, text }) => [key, text])).toEqual(expected)
        }
        const numbers = tables.revisions().map(({ revision }) => revision)
        expect(numbers).toEqual([...Array(history.length - first + 1).keys()].map((at) => history.length - at))
        // A file that did not change is stored once, and what no kept revision has is gone.
        const texts = new Set(history.slice(first - 1).flatMap((files) => Object.entries(files).map(String)))
        const stored = sql.exec<{ key: string; text: string }>('SELECT key, text FROM files').toArray()
        for (const { key, text } of stored) expect(texts.has(String([key, text]))).toBe(true)
      }),
      { seed: 4, numRuns: 60 },
    )
  })
})

test('append() clears a refusal, and refuse() keeps only the last one', async () => {
  await withStorage((storage) => {
    const tables = ruleBookTables(storage)
    expect(tables.refusal()).toBeNull()
    const mistake = { file: 'a', path: '', line: 1, message: 'wrong' }
    for (const at of [1, 2]) tables.refuse({ at, who: 'ada', mistakes: [mistake] })
    expect(tables.refusal()).toEqual({ at: 2, who: 'ada', mistakes: [mistake] })
    tables.append(revisionOf(1), [], 10)
    expect(tables.refusal()).toBeNull()
  })
})
