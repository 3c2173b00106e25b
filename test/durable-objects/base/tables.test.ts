/** openTables(): no tables before the first write, and none after everything was deleted. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { hasTables } from '#objects/base/migrate.ts'
import { openTables } from '#objects/base/tables.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

it('openTables() makes the tables at the first write, and again after everything was deleted', () =>
  runInDurableObject(COUNTER.getByName('tables test'), async (_, { storage }) => {
    const migrations = ['CREATE TABLE one (a TEXT)']
    const { read, write, destroy } = openTables(storage, migrations)
    const list = () => [...read('SELECT a FROM one')]
    expect([list(), hasTables(storage)]).toEqual([[], false])
    write('INSERT INTO one VALUES (?)', 'first')
    expect([list(), hasTables(storage)]).toEqual([[{ a: 'first' }], true])
    expect([...openTables(storage, migrations).read('SELECT a FROM one WHERE a = ?', 'first')]).toHaveLength(1)
    await destroy()
    expect([list(), hasTables(storage)]).toEqual([[], false])
    write('INSERT INTO one VALUES (?)', 'second')
    expect(list()).toEqual([{ a: 'second' }])
  }))
