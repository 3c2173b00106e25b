/** Usage in the storage of an object: buckets of a minute and an hour, for how long they are kept, and their bound. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { statTables } from '#objects/ratelimit/storage/stats.ts'
import { type UsageTables, usageTables } from '#objects/ratelimit/storage/usage.ts'
import type { KeyLabel } from '#ratelimit/contract/usage.ts'
import { otherRules } from '#ratelimit/usage/bounds.ts'
import type { UsageCount } from '#ratelimit/usage/types.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

let made = 0
/** Runs a test with the empty tables of a new object; `reopen` opens them again, as a restart does. */
function withTables(run: (tables: UsageTables, reopen: () => UsageTables) => void): Promise<void> {
  made += 1
  return runInDurableObject(COUNTER.getByName(`usage tables test ${made}`), (_, { storage }) => {
    statTables(storage, Date.now())
    run(usageTables(storage), () => usageTables(storage))
  })
}

const count = (second: number, rule = 'shop.a', domain = 'shop'): UsageCount => ({
  second,
  domain,
  rule,
  admitted: 3,
  refused: 2,
  shadow: 1,
})
const all = { from: 0, to: 10 ** 10 }
const startsOf = (tables: UsageTables, step: Parameters<UsageTables['read']>[0]) =>
  tables.read(step, all).map(({ start }) => start)
const hour = 3_600
const day = 86_400

test('add() adds every part of a count to its minute and its hour', async () => {
  await withTables((tables) => {
    tables.add([count(hour + 59), count(hour + 60), count(hour + 119)])
    const row = { domain: 'shop', rule: 'shop.a' }
    expect(tables.read(60, all)).toEqual([
      { ...row, start: hour, admitted: 3, refused: 2, shadow: 1 },
      { ...row, start: hour + 60, admitted: 6, refused: 4, shadow: 2 },
    ])
    expect(tables.read(3600, all)).toEqual([{ ...row, start: hour, admitted: 9, refused: 6, shadow: 3 }])
    expect([tables.since(60), tables.since(3600)]).toEqual([hour, hour])
  })
})

test('read() sums minutes to ten and hours to six', async () => {
  await withTables((tables) => {
    tables.add([count(hour), count(hour + 599), count(hour + 600), count(7 * hour), count(7 * hour, 'x.a', 'x')])
    const tens = tables.read(600, all).map(({ start, rule, admitted }) => [rule, start, admitted])
    expect(tens).toEqual([
      ['shop.a', hour, 6],
      ['shop.a', hour + 600, 3],
      ['shop.a', 7 * hour, 3],
      ['x.a', 7 * hour, 3],
    ])
    expect(tables.read(21_600, { ...all, domain: 'shop' })).toEqual([
      { domain: 'shop', rule: 'shop.a', start: 0, admitted: 9, refused: 6, shadow: 3 },
      { domain: 'shop', rule: 'shop.a', start: 6 * hour, admitted: 3, refused: 2, shadow: 1 },
    ])
    expect([tables.since(600), tables.since(21_600)]).toEqual([hour, hour])
  })
})

test('read() takes the start of a bucket that lies in the range, of one domain or rule', async () => {
  await withTables((tables) => {
    tables.add([count(60), count(120), count(180), count(60, 'x.a', 'x'), count(60, 'x.b', 'x')])
    const read = (range: object) => tables.read(60, { ...all, ...range }).map(({ start, rule }) => `${rule} ${start}`)
    expect(read({ from: 120, to: 180 })).toEqual(['shop.a 120'])
    expect(read({ domain: 'x' })).toEqual(['x.a 60', 'x.b 60'])
    expect(read({ rule: 'x.b' })).toEqual(['x.b 60'])
    expect(read({ domain: 'shop', rule: 'x.b' })).toEqual([])
  })
})

test('writeTops() keeps the first keys of an hour whose texts are too long for a row', async () => {
  await withTables((tables) => {
    // A control character has six octets in JSON: the longest that a key can become.
    const text = '\u0001'.repeat(500)
    const entries = Array.from({ length: 256 }, (_, at) => ({ key: `${at} ${text}`, count: 500 - at, error: 0 }))
    const sketch = { entries, total: 100_000, capacity: 256 }
    const labels = entries.map(({ key }): [string, KeyLabel] => [
      key,
      { domain: 'shop', rule: 'shop.a', entries: [{ key: 'k', value: text }] },
    ])
    tables.writeTops({ hour, used: sketch, refused: { ...sketch, entries: entries.slice(200) }, labels })
    const [kept] = tables.tops(0)
    expect(kept?.used.entries.length).toBeGreaterThanOrEqual(64)
    expect(kept?.used.entries).toEqual(entries.slice(0, kept?.used.entries.length))
    expect(kept?.used.capacity).toBe(kept?.used.entries.length)
    const held = [...(kept?.used.entries ?? []), ...(kept?.refused.entries ?? [])].map(({ key }) => key)
    expect(new Set(kept?.labels.map(([key]) => key))).toEqual(new Set(held))
  })
})

test('forgetOld() keeps minutes for 25 hours, hours for 31 days and the top keys for 25 hours', async () => {
  await withTables((tables) => {
    const now = 100 * day
    const kept = [now - day - hour, now - 31 * day]
    tables.add(kept.flatMap((start) => [count(start), count(start - 60), count(start - hour)]))
    const tops = { used: { size: 1, entries: [] }, refused: { size: 1, entries: [] }, labels: [] }
    for (const at of [now - day - hour, now - day - 2 * hour]) {
      // A sketch of nothing: only its hour matters here.
      tables.writeTops({ hour: at, ...tops } as unknown as Parameters<UsageTables['writeTops']>[0])
    }
    tables.forgetOld(now)
    expect(startsOf(tables, 60)).toEqual([now - day - hour])
    expect(startsOf(tables, 3600)).toEqual([now - 31 * day, now - day - 2 * hour, now - day - hour])
    expect(tables.tops(0).map(({ hour: at }) => at)).toEqual([now - day - hour])
  })
})

test('add() keeps 200 series apart, also after a restart, and has room again for those that were forgotten', async () => {
  await withTables((tables, reopen) => {
    tables.add(Array.from({ length: 200 }, (_, at) => count(0, `rule ${at}`)))
    const reopened = reopen()
    reopened.add([count(0, 'rule 7'), count(0, 'further'), count(0, '', 'further')])
    const rules = (rule: string) => reopened.read(3600, { ...all, rule }).map(({ domain }) => domain)
    expect([rules('further'), rules(otherRules), rules('')]).toEqual([[], [''], ['']])
    expect(reopened.read(3600, { ...all, rule: 'rule 7' })).toMatchObject([{ admitted: 6 }])
    reopened.forgetOld(40 * day)
    reopened.add([count(40 * day, 'further')])
    expect(rules('further')).toEqual(['shop'])
  })
})
