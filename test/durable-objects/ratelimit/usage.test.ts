/** StatsObject as the memory of decisions: what survives, what is bounded, what is forgotten. */

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { StatsObject } from '#objects/ratelimit/stats.ts'
import type { SampledRequest, UsageReport } from '#ratelimit/usage/types.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { STATS } = env as unknown as RatelimitEnv

let made = 0
function newStats(): () => DurableObjectStub<StatsObject> {
  made += 1
  const name = `usage test ${made}`
  return () => STATS.getByName(name)
}

const now = () => Math.floor(Date.now() / 1000)
const empty: UsageReport = { counts: [], used: [], refused: [], fills: [], samples: [] }
const count = (rule: string, second = now()) => ({ second, domain: 'shop', rule, admitted: 2, refused: 1, shadow: 0 })
const range = () => ({ from: now() - 7_200, to: now() + 3_600 })

function sampled(value: string): SampledRequest {
  const entries = [{ key: 'k', value }]
  const request = { domain: 'shop', descriptors: [{ entries, hitsAddend: 2n ** 63n }], hitsAddend: 0 }
  return { at: 1, weight: 1, code: 'OK', request, outcomes: [] }
}

describe('StatsObject.usage()', () => {
  it('answers as many rows as fit, and that there are more beyond', async () => {
    const stats = newStats()
    await stats().report({ ...empty, counts: [count('shop.a')] }, 0)
    const rule = 'a rule with a path as long as rules have that are a few levels deep'
    const fill = (rows: number) =>
      runInDurableObject(stats(), (_, state) => {
        state.storage.sql.exec(
          `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
           INSERT OR REPLACE INTO usage SELECT 60, 60 * i, 'shop', '${rule}', 1e9 + i, 1e9 + i, 1e9 + i FROM n`,
        )
      })
    const asked = { from: 0, to: 10_000_000, step: 60 } as const
    await fill(100_000)
    const whole = await stats().usage(asked)
    expect([whole.rows.length, whole.isTooLong]).toEqual([100_000, false])
    await fill(100_001)
    expect(await stats().usage(asked)).toMatchObject({ rows: [], isTooLong: true })
  })
})

describe('StatsObject.report()', () => {
  it('adds counts to their minute and hour, on disk before an idle object is forgotten', async () => {
    const stats = newStats()
    const second = now()
    await stats().report({ ...empty, counts: [count('shop.a', second)] }, 10)
    // The first one is saved at once, so that few decisions need no alarm.
    await abortAllDurableObjects()
    await stats().report({ ...empty, counts: [count('shop.a', second)] }, 10)
    await stats().report({ ...empty, counts: [count('shop.a', second)] }, 10)
    const alarm = await runInDurableObject(stats(), (_, { storage }) => storage.getAlarm())
    expect(alarm).toBeLessThanOrEqual(Date.now() + 9_000)
    expect(await runDurableObjectAlarm(stats())).toBe(true)
    await abortAllDurableObjects()
    for (const step of [60, 3600] as const) {
      const { rows } = await stats().usage({ ...range(), step })
      expect(rows).toEqual([
        { start: Math.floor(second / step) * step, domain: 'shop', rule: 'shop.a', admitted: 6, refused: 3, shadow: 0 },
      ])
    }
    const { rows } = await stats().usage({ ...range(), step: 1 })
    expect(rows).toMatchObject([{ start: second, admitted: 6 }])
    // A read moved everything to the tables: nothing is said of seconds before the next instance.
    await abortAllDurableObjects()
    const { rows: none, since } = await stats().usage({ ...range(), step: 1 })
    expect([none, (since ?? 0) >= second]).toEqual([[], true])
  })

  it('writes one row for a report with any number of entries, and asks for rare reports until someone reads', async () => {
    const stats = newStats()
    const label = { domain: 'shop', rule: 'shop.a', entries: [{ key: 'k', value: 'v' }] }
    const used = [{ key: 'shop_k_v_', label, count: 7, error: 0 }]
    const report = { ...empty, counts: [count('shop.a'), count('shop.b')], used, samples: [sampled('a'), sampled('b')] }
    expect(await stats().report(report, 10)).toBe(20_000)
    const rows = await runInDurableObject(stats(), (_, { storage }) =>
      ['usage', 'usage_tops', 'usage_requests', 'usage_recent'].map((table) =>
        Number(storage.sql.exec(`SELECT count(*) AS rows FROM ${table}`).one().rows),
      ),
    )
    expect(rows).toEqual([0, 0, 0, 1])
    await stats().usage({ ...range(), step: 1 })
    expect(await stats().report(report, 10)).toBe(1_000)
  })

  it('keeps 200 series apart, and counts further rules together', async () => {
    const stats = newStats()
    for (let part = 0; part < 5; part++) {
      const counts = Array.from({ length: 60 }, (_, at) => count(`shop.${part}.${at}`))
      await stats().report({ ...empty, counts }, 0)
    }
    const { rows } = await stats().usage({ ...range(), step: 3600 })
    const names = new Set(rows.map(({ rule }) => rule))
    expect(names.size).toBe(201)
    expect(rows.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(600)
  })

  it('keeps the newest sampled requests, with addends of 64 bits, and none where samples are off', async () => {
    const stats = newStats()
    const samples = Array.from({ length: 20 }, (_, at) => sampled(`v${at}`))
    await stats().report({ ...empty, samples }, 5)
    const kept = await stats().requests()
    expect(kept.map(({ request }) => request.descriptors[0]?.entries[0]?.value)).toEqual([
      'v15',
      'v16',
      'v17',
      'v18',
      'v19',
    ])
    expect(kept[0]?.request.descriptors[0]?.hitsAddend).toBe(2n ** 63n)
    await stats().report({ ...empty, samples }, 0)
    expect(await stats().requests()).toEqual([])
  })

  it('remembers the top keys of the hour beyond the life of the object', async () => {
    const stats = newStats()
    const label = { domain: 'shop', rule: 'shop.a', entries: [{ key: 'k', value: 'v' }] }
    await stats().report({ ...empty, used: [{ key: 'shop_k_v_', label, count: 7, error: 0 }] }, 0)
    await abortAllDurableObjects()
    expect(await stats().top(now() - 60, 10)).toEqual({
      used: [{ key: 'shop_k_v_', label, count: 7, error: 0 }],
      refused: [],
    })
    expect(await stats().top(now() - 60, 10, 'other')).toEqual({ used: [], refused: [] })
  })

  it('asks isolates to wait when many report', async () => {
    const stats = newStats()
    const waits = await Promise.all(Array.from({ length: 150 }, () => stats().report(empty, 0)))
    expect(waits[0]).toBe(20_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(25_000)
  })
})

describe('StatsObject.drawTicket()', () => {
  it('gives at most 100 that wait to be used', async () => {
    const stats = newStats()
    for (let at = 0; at < 100; at++) expect(await stats().drawTicket()).toMatch(/^[0-9a-f]{32}$/)
    expect(await stats().drawTicket()).toBeNull()
  })
})
