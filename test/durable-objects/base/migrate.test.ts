/** migrate(): each entry once, in order; tables of builds before the first release are refused. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { hasTables, migrate } from '#objects/base/migrate.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

const first = "CREATE TABLE one (a TEXT); INSERT INTO one VALUES ('first')"
const second = "INSERT INTO one VALUES ('second')"

function inside(name: string, act: (storage: DurableObjectStorage) => void): Promise<void> {
  return runInDurableObject(COUNTER.getByName(`migrate test ${name}`), (_, { storage }) => act(storage))
}

const rowsOf = ({ sql }: DurableObjectStorage) =>
  sql
    .exec('SELECT a FROM one')
    .toArray()
    .map(({ a }) => a)

describe('migrate()', () => {
  it('runs each entry once, also where a later release appends one', () =>
    inside('order', (storage) => {
      expect(hasTables(storage)).toBe(false)
      migrate(storage, [first])
      migrate(storage, [first])
      expect(hasTables(storage)).toBe(true)
      expect(rowsOf(storage)).toEqual(['first'])
      migrate(storage, [first, second])
      migrate(storage, [first])
      expect(rowsOf(storage)).toEqual(['first', 'second'])
    }))

  it('leaves no half of an entry that fails', () =>
    inside('half', (storage) => {
      expect(() => migrate(storage, [`${first}; INSERT INTO nowhere VALUES (1)`])).toThrow(/nowhere/)
      expect(hasTables(storage)).toBe(false)
      migrate(storage, [first])
      expect(rowsOf(storage)).toEqual(['first'])
    }))

  it('refuses tables of a build before the first release with one line, and changes nothing', () =>
    inside('earlier', (storage) => {
      storage.sql.exec('CREATE TABLE migrations (number INTEGER PRIMARY KEY); CREATE TABLE one (a TEXT)')
      expect(hasTables(storage)).toBe(true)
      expect(() => migrate(storage, [second])).toThrow(
        'Cannot open the tables: a build before the first release wrote them, expected new ones; delete the state of that build and begin anew',
      )
      expect(rowsOf(storage)).toEqual([])
    }))
})
