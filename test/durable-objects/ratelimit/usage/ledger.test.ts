/** usageLedger over tables in memory: what is known of seconds, fills and keys, and how much of it is kept. */

import { describe, expect, it } from 'vitest'
import type { LedgerMemory, RecentUsage } from '#objects/ratelimit/storage/recent-usage.ts'
import type { UsageTables } from '#objects/ratelimit/storage/usage.ts'
import type { HourTops } from '#objects/ratelimit/storage/usage-tops.ts'
import { usageLedger } from '#objects/ratelimit/usage/ledger.ts'
import type { Fill, KeyCount } from '#ratelimit/contract/usage.ts'
import { usageBounds } from '#ratelimit/usage/bounds.ts'
import { findRuleCount, noCounts, turnSecond } from '#ratelimit/usage/rule-counts.ts'
import type { UsageCount, UsageReport } from '#ratelimit/usage/types.ts'
import { compileRules } from '#test/support/compile-rules.ts'

/** Recent usage without a disk: counts and samples go to the tables at once, and `memory` is what was saved. */
function recentOf(tables: UsageTables, memory: LedgerMemory): RecentUsage & { memory: LedgerMemory } {
  return {
    memory,
    restored: memory,
    add: (counts, samples, recorded) => {
      tables.add(counts)
      tables.addRequests(recorded > 0 ? samples.map(() => '') : [], recorded)
    },
    findRestoredTops: () => undefined,
    save(saved) {
      this.memory = saved
    },
    flush: (tops) => tops && tables.writeTops(tops),
    isDue: () => false,
    isUnsaved: () => false,
  }
}

/** Tables that keep the tops of hours and remember how often they were told to forget. */
function tablesInMemory() {
  const hours = new Map<number, HourTops>()
  const calls = { forgotten: [] as number[], requests: [] as number[], tops: 0 }
  const tables: UsageTables = {
    add: () => {},
    read: () => [],
    since: (step) => (step === 3_600 ? 0 : 60),
    writeTops(tops) {
      calls.tops += 1
      hours.set(tops.hour, structuredClone(tops))
    },
    tops: (from) => [...hours.values()].filter(({ hour }) => hour >= from),
    addRequests: (requests, limit) => void calls.requests.push(requests.length, limit),
    requests: () => [],
    forgetOld: (now) => void calls.forgotten.push(now),
  }
  return { tables, hours, calls }
}

const memoryOf = (bornMs: number): LedgerMemory => ({ tops: null, bornMs, seconds: [], fills: [] })
const ledgerOf = (tables: UsageTables, bornMs: number) => usageLedger(tables, recentOf(tables, memoryOf(bornMs)))

const empty: UsageReport = { counts: [], used: [], refused: [], fills: [], samples: [] }
const count = (second: number, rule = 'shop.a', domain = 'shop'): UsageCount => ({
  second,
  domain,
  rule,
  admitted: 2,
  refused: 1,
  shadow: 0,
})
const keyOf = (key: string, hits: number, domain = 'shop'): KeyCount => ({
  key,
  count: hits,
  error: 0,
  label: { domain, rule: `${domain}.a`, entries: [] },
})
const fillOf = (rule: string, remaining: number, endsAt = 100, domain = 'shop'): Fill => ({
  domain,
  rule,
  key: `${rule} ${remaining}`,
  limit: 10,
  unit: 'MINUTE',
  remaining,
  endsAt,
})
const seconds = { from: 0, to: 1_000, step: 1 } as const

describe('usageLedger().usage()', () => {
  it('finds a rule by a name that is longer than what is kept of it', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    const key = 'k'.repeat(usageBounds.ruleText)
    const text = `domain: shop\ndescriptors: [{key: ${key}, rate_limit: {unit: day, requests_per_unit: 5}}]\n`
    const limit = compileRules([{ key: 'shop.yaml', text }])
      .domains.get('shop')
      ?.children.get(key)?.limit
    const counts = noCounts()
    turnSecond(counts, 12)
    if (limit != null) findRuleCount(counts, limit, 'shop').admitted += 3
    ledger.add({ ...empty, counts: counts.counts }, 0, 12_000)
    const rowsOf = (rule: string) => ledger.usage({ ...seconds, rule }, 12_000).rows
    expect(rowsOf(`shop.${key}`)).toMatchObject([{ admitted: 3 }])
    expect(rowsOf(`shop.${key}x`)).toEqual([])
  })

  it('adds the counts of each second by rule, in order of time, within the range', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    ledger.add({ ...empty, counts: [count(12), count(11), count(12), count(12, 'shop.b')] }, 0, 12_000)
    const rows = ledger.usage(seconds, 12_000).rows.map(({ start, rule, admitted }) => [start, rule, admitted])
    expect(rows).toEqual([
      [11, 'shop.a', 2],
      [12, 'shop.a', 4],
      [12, 'shop.b', 2],
    ])
    const startsOf = (range: object) => ledger.usage({ ...seconds, ...range }, 12_000).rows.map(({ start }) => start)
    expect(startsOf({ from: 12 })).toEqual([12, 12])
    expect(startsOf({ to: 12 })).toEqual([11])
    expect(startsOf({ rule: 'shop.b' })).toEqual([12])
    expect(startsOf({ domain: 'other' })).toEqual([])
  })

  it('forgets seconds after 150, and rules of one second beyond the bound', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    ledger.add({ ...empty, counts: [count(10), count(11)] }, 0, 11_000)
    ledger.add(empty, 0, 161_000)
    expect(ledger.usage(seconds, 161_000).rows.map(({ start }) => start)).toEqual([11])
    const many = Array.from({ length: usageBounds.counts + 5 }, (_, at) => count(161, `rule ${at}`))
    ledger.add({ ...empty, counts: [...many, count(161, 'rule 0')] }, 0, 161_000)
    const rows = ledger.usage({ ...seconds, from: 161 }, 161_000).rows
    // A rule that has its row is still counted.
    expect([rows.length, rows[0]?.admitted]).toEqual([usageBounds.counts, 4])
  })

  it('knows nothing of seconds before it was opened, and of longer buckets what the tables know', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 90_500)
    expect([1, 60, 3_600].map((step) => ledger.usage({ ...seconds, step: step as 1 }, 0).since)).toEqual([90, 60, 0])
  })

  it('goes on from the seconds and fills that an earlier instance saved, of many seconds the last ones', () => {
    const { tables } = tablesInMemory()
    const recent = recentOf(tables, memoryOf(0))
    const before = usageLedger(tables, recent)
    before.add({ ...empty, counts: [count(12)], fills: [fillOf('shop.a', 3)] }, 0, 12_000)
    before.save()
    const next = usageLedger(tables, recentOf(tables, recent.memory))
    next.add({ ...empty, counts: [count(12), count(13)] }, 0, 13_000)
    expect(next.usage(seconds, 13_000)).toMatchObject({
      rows: [{ start: 12, admitted: 4 }, { start: 13 }],
      fills: [{ key: 'shop.a 3' }],
    })
    const many = Array.from({ length: 300 }, (_, at) => [count(14, `rule ${at}`), count(15, `rule ${at}`)]).flat()
    before.add({ ...empty, counts: many }, 0, 15_000)
    before.save()
    expect([recent.memory.seconds.length, recent.memory.bornMs]).toEqual([500, 15_000])
  })

  it('saves the last seconds also where earlier ones came late', () => {
    const { tables } = tablesInMemory()
    const recent = recentOf(tables, memoryOf(0))
    const ledger = usageLedger(tables, recent)
    const late = [
      ...Array.from({ length: 200 }, (_, at) => count(50, `rule ${at}`)),
      ...Array.from({ length: 400 }, (_, at) => count(100, `rule ${at}`)),
    ]
    ledger.add({ ...empty, counts: [count(101)] }, 0, 101_000)
    ledger.add({ ...empty, counts: late }, 0, 101_500)
    ledger.save()
    expect(recent.memory.seconds.at(-1)).toMatchObject({ start: 101 })
  })

  it('gives the fullest open counter of each rule', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    const fills = [fillOf('shop.a', 5), fillOf('shop.a', 3), fillOf('shop.a', 4), fillOf('x.a', 9, 100, 'x')]
    ledger.add({ ...empty, fills }, 0, 1_000)
    const keysAt = (nowMs: number, domain?: string) =>
      ledger.usage({ ...seconds, ...(domain !== undefined && { domain }) }, nowMs).fills.map(({ key }) => key)
    expect(keysAt(99_000)).toEqual(['shop.a 3', 'x.a 9'])
    expect(keysAt(99_000, 'x')).toEqual(['x.a 9'])
    expect(keysAt(100_000)).toEqual([])
  })

  it('keeps 400 rules with their fullest counter, and takes new ones in the place of those that are over', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    const fills = Array.from({ length: 401 }, (_, at) => fillOf(`rule ${at}`, 1, at === 0 ? 5 : 100))
    ledger.add({ ...empty, fills }, 0, 1_000)
    const rulesAt = (nowMs: number) => ledger.usage(seconds, nowMs).fills.map(({ rule }) => rule)
    expect([rulesAt(1_000).length, rulesAt(1_000).includes('rule 400')]).toEqual([400, false])
    ledger.add({ ...empty, fills: [fillOf('rule 400', 1)] }, 0, 6_000)
    expect([rulesAt(6_000).length, rulesAt(6_000).includes('rule 400')]).toEqual([400, true])
  })
})

describe('usageLedger().top()', () => {
  it('adds the hours from the asked one on, the running one included, most first', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    ledger.add({ ...empty, used: [keyOf('a', 3), keyOf('b', 5)] }, 0, 3_600_000)
    ledger.add({ ...empty, used: [keyOf('a', 4), keyOf('c', 1, 'x')], refused: [keyOf('r', 2)] }, 0, 7_200_000)
    const used = (from: number, limit = 10, domain?: string) =>
      ledger.top(from, { limit, domain }, 12_000).used.map(({ key, count: hits }) => `${key} ${hits}`)
    expect(used(3_600)).toEqual(['a 7', 'b 5', 'c 1'])
    // From 5000 s the hour that holds it counts whole.
    expect(used(5_000)).toEqual(['a 7', 'b 5', 'c 1'])
    expect(used(7_200)).toEqual(['a 4', 'c 1'])
    expect(used(10_800)).toEqual([])
    expect(used(3_600, 1)).toEqual(['a 7'])
    expect(used(3_600, 1, 'x')).toEqual(['c 1'])
    expect(ledger.top(0, { limit: 10, domain: undefined }, 12_000).refused.map(({ key }) => key)).toEqual(['r'])
  })

  it('lists the keys of a domain also where other domains have more keys than a sketch holds', () => {
    const ledger = ledgerOf(tablesInMemory().tables, 0)
    const many = (name: string) => Array.from({ length: 200 }, (_, at) => keyOf(`${name}${at}`, 5))
    ledger.add({ ...empty, used: [...many('a'), keyOf('mine', 1, 'x')] }, 0, 3_600_000)
    ledger.add({ ...empty, used: [...many('b'), keyOf('mine too', 1, 'x')] }, 0, 7_200_000)
    expect(ledger.top(0, { limit: 10, domain: 'x' }, 12_000).used.map(({ key }) => key)).toEqual(['mine', 'mine too'])
  })

  it('keeps the bounds of each count: those of a report, of reports that left keys out, and of before a restart', () => {
    const { tables } = tablesInMemory()
    const ledger = ledgerOf(tables, 0)
    const top = (of: typeof ledger) =>
      of.top(0, { limit: 2, domain: undefined }, 9_000).used.map(({ key, count, error }) => [key, count, error])
    ledger.add({ ...empty, used: [{ ...keyOf('a', 900), error: 4 }, keyOf('b', 800)] }, 0, 1_000)
    expect(top(ledger)).toEqual([
      ['a', 900, 4],
      ['b', 800, 0],
    ])
    // A full report: a key that it lacks may have had as many hits as its least.
    const many = Array.from({ length: usageBounds.keys }, (_, at) => keyOf(`k${at}`, 30))
    ledger.add({ ...empty, used: many }, 0, 2_000)
    const bounded = [
      ['a', 930, 34],
      ['b', 830, 30],
    ]
    expect(top(ledger)).toEqual(bounded)
    const again = ledgerOf(tables, 3_000)
    again.add(empty, 0, 4_000)
    expect(top(again)).toEqual(bounded)
  })

  it('goes on with the running hour after a restart, without counting what was written twice', () => {
    const { tables } = tablesInMemory()
    const first = ledgerOf(tables, 0)
    first.add({ ...empty, used: [keyOf('a', 3)] }, 0, 20_000)
    first.requests(20_500)
    const ledger = ledgerOf(tables, 21_000)
    ledger.add({ ...empty, used: [keyOf('a', 2)] }, 0, 22_000)
    expect(ledger.top(0, { limit: 10, domain: undefined }, 12_000).used).toMatchObject([{ key: 'a', count: 5 }])
  })
})

describe('usageLedger().add()', () => {
  it('writes the sketches when an hour ends or someone reads, and forgets old rows every minute', () => {
    const { tables, calls } = tablesInMemory()
    const ledger = ledgerOf(tables, 0)
    const used = [keyOf('a', 1)]
    for (const nowMs of [100_000, 101_000, 160_001]) ledger.add({ ...empty, used }, 0, nowMs)
    expect([calls.tops, calls.forgotten]).toEqual([0, [100, 160]])
    ledger.requests(161_000)
    ledger.add({ ...empty, used }, 0, 3_600_000)
    expect(calls.tops).toBe(2)
  })

  it('keeps no sampled request when none is to be recorded', () => {
    const { tables, calls } = tablesInMemory()
    const ledger = ledgerOf(tables, 0)
    const request = { domain: 'd', descriptors: [], hitsAddend: 1 }
    const samples = [{ at: 1, weight: 1, code: 'OK' as const, request, outcomes: [] }]
    ledger.add({ ...empty, samples }, 0, 0)
    ledger.add({ ...empty, samples }, 5, 0)
    expect(calls.requests).toEqual([0, 0, 1, 5])
  })
})
