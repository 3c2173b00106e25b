/** Counters of the tests of CounterObject, each new, and looks at what such an object keeps. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { onTestFinished, vi } from 'vitest'
import type { WireHit } from '#objects/ratelimit/counter/wire.ts'
import type { CounterObject } from '#objects/ratelimit/counter.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { FirstWindow } from '#objects/ratelimit/storage/first-window.ts'
import { units } from '#ratelimit/window.ts'

// The pool gives the bindings of wrangler.toml, which are these.
export const bindings = env as unknown as RatelimitEnv

export const SECOND = units.indexOf('SECOND')
export const MINUTE = units.indexOf('MINUTE')
export const HOUR = units.indexOf('HOUR')
export const DAY = units.indexOf('DAY')

/** Names a new counter and gives a fresh stub of it at each call, because a stub does not survive its object. */
export function newCounter(): () => DurableObjectStub<CounterObject> {
  const name = `counter test ${newId()}`
  return () => bindings.COUNTER.getByName(name)
}

/** An id for a call. */
export function newId(): number {
  return Math.floor(Math.random() * Number.MAX_SAFE_INTEGER)
}

/** Hits a counter by one call. */
export async function hitOnce(
  counter: DurableObjectStub<CounterObject>,
  ...hits: WireHit[]
): Promise<readonly number[]> {
  return counter.hit(newId(), hits)
}

/** Only the counters, without the seconds until reset. */
export function totals(answer: readonly number[]): readonly number[] {
  return answer.filter((_, at) => at % 2 === 0)
}

/** Hits counter `a` of a day once a call; gives the count after the last one. */
export async function hitTimes(
  counter: DurableObjectStub<CounterObject>,
  times: number,
  limit: number,
): Promise<number> {
  let last = 0
  for (let at = 0; at < times; at++) last = Number.parseInt(await counter.hitOne(newId(), 'a', DAY, 1, limit), 10)
  return last
}

/** Sets the clock of the isolate until the test is over. */
export function setClock(atMs: number): void {
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(atMs)
}

/** The moment of an object's alarm in Unix milliseconds; null when none is set. */
export function alarmOf(counter: DurableObjectStub<CounterObject>): Promise<number | null> {
  return runInDurableObject(counter, (_, { storage }) => storage.getAlarm())
}

/** The windows on disk. */
export function rowsOf(counter: DurableObjectStub<CounterObject>): Promise<number> {
  return runInDurableObject(counter, (_, { storage }) => {
    if (storage.kv.get('first') !== undefined) return 1
    const tables = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'counters'").toArray()
    return tables.length === 0 ? 0 : Number(storage.sql.exec('SELECT count(*) AS n FROM counters').one().n)
  })
}

/** The count of a key on disk; undefined when it has no row. */
export function storedHits(counter: DurableObjectStub<CounterObject>, key: string): Promise<unknown> {
  return runInDurableObject(counter, (_, { storage }) => {
    const first = storage.kv.get<FirstWindow>('first')
    if (first !== undefined) return first.key === key ? first.hits : undefined
    const [row] = storage.sql.exec('SELECT hits FROM counters WHERE key = ?', key)
    return row?.hits
  })
}

/** The names of all that is on disk: tables, and values beside them. */
export function storedNames(counter: DurableObjectStub<CounterObject>) {
  return runInDurableObject(counter, (_, { storage }) => ({
    tables: storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
    values: [...storage.kv.list()].map(([name]) => name),
  }))
}
