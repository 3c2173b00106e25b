/** StatsObject: sums that survive, batches that count once, and a bound on names. */

import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { StatsObject } from '#objects/ratelimit/stats.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const bindings = env as unknown as RatelimitEnv
const { STATS } = bindings

let made = 0
/** Names a new object and gives a fresh stub of it at each call, because a stub does not survive its object. */
function newStats(): () => DurableObjectStub<StatsObject> {
  made += 1
  const name = `stats test ${made}`
  return () => STATS.getByName(name)
}

describe('StatsObject.add()', () => {
  it('sums by name over senders and batches, in order of names', async () => {
    const stats = newStats()
    await stats().add(
      'one',
      1,
      [
        { name: 'b', delta: 2 },
        { name: 'a', delta: 1 },
      ],
      100,
    )
    await stats().add('one', 2, [{ name: 'b', delta: 3 }], 100)
    await stats().add('two', 1, [{ name: 'b', delta: 10 }], 100)
    expect(await stats().read()).toEqual([
      { name: 'a', value: 1 },
      { name: 'b', value: 15 },
    ])
  })

  it('takes a batch once, however often it comes, also after a restart', async () => {
    const stats = newStats()
    await stats().add('one', 1, [{ name: 'a', delta: 1 }], 100)
    await stats().add('one', 1, [{ name: 'a', delta: 1 }], 100)
    await stats().read()
    await abortAllDurableObjects()
    await stats().add('one', 1, [{ name: 'a', delta: 1 }], 100)
    expect(await stats().read()).toEqual([{ name: 'a', value: 1 }])
  })

  it('counts deltas of names beyond the bound under one name', async () => {
    const stats = newStats()
    const deltas = ['a', 'b', 'c', 'd'].map((name) => ({ name, delta: 7 }))
    await stats().add('one', 1, deltas, 2)
    await stats().add('one', 2, deltas, 2)
    expect(await stats().read()).toEqual([
      { name: 'a', value: 14 },
      { name: 'b', value: 14 },
      { name: 'ratelimit.service.stats_folded', value: 4 },
    ])
  })

  it('leaves room for rules, however many domains callers name', async () => {
    const stats = newStats()
    const unknown = Array.from({ length: 30 }, (_, at) => `ratelimit.service.rate_limit.d${at}.domain_not_found`)
    const send = (batch: number, names: readonly string[]) =>
      stats().add(
        'one',
        batch,
        names.map((name) => ({ name, delta: 1 })),
        100,
      )
    await send(1, unknown.slice(0, 15))
    await send(2, unknown)
    const rules = Array.from({ length: 89 }, (_, at) => `ratelimit.service.rate_limit.shop.r${at}.total_hits`)
    await send(3, rules)
    const sums = new Map((await stats().read()).map(({ name, value }) => [name, value]))
    expect(unknown.filter((name) => sums.has(name))).toEqual(unknown.slice(0, 10))
    expect(rules.filter((name) => !sums.has(name))).toEqual([])
    expect(sums.get('ratelimit.service.stats_folded')).toBe(25)
  })

  it('leaves room for rules that come in one batch with more domains than there is room for', async () => {
    const stats = newStats()
    const unknown = Array.from({ length: 90 }, (_, at) => `limit.d${at}.domain_not_found`)
    const rules = Array.from({ length: 89 }, (_, at) => `limit.shop.r${at}.total_hits`)
    const deltas = [...unknown, ...rules].map((name) => ({ name, delta: 1 }))
    await stats().add('one', 1, deltas, 100)
    const sums = new Map((await stats().read()).map(({ name, value }) => [name, value]))
    expect(rules.filter((name) => !sums.has(name))).toEqual([])
    expect([sums.size, sums.get('ratelimit.service.stats_folded')]).toEqual([100, 80])
  })

  it('stops at 2^53 - 1', async () => {
    const stats = newStats()
    await stats().add('one', 1, [{ name: 'a', delta: Number.MAX_SAFE_INTEGER }], 10)
    await stats().add('one', 2, [{ name: 'a', delta: 5 }], 10)
    expect(await stats().read()).toEqual([{ name: 'a', value: Number.MAX_SAFE_INTEGER }])
  })

  it('asks senders to wait longer when many report', async () => {
    const stats = newStats()
    const pauses = await runInDurableObject(stats(), (object) =>
      Promise.all(Array.from({ length: 250 }, (_, at) => object.add(`sender ${at}`, 1, [{ name: 'a', delta: 1 }], 10))),
    )
    expect([pauses[0], Math.max(...pauses)]).toEqual([20_000, 25_000])
  })
})

describe('StatsObject.read()', () => {
  it('gives no sum that a crash takes back', async () => {
    const stats = newStats()
    await stats().add('one', 1, [{ name: 'a', delta: 5 }], 100)
    expect(await stats().read()).toEqual([{ name: 'a', value: 5 }])
    await stats().add('one', 2, [{ name: 'a', delta: 1 }], 100)
    await abortAllDurableObjects()
    expect(await stats().read()).toEqual([{ name: 'a', value: 5 }])
  })
})

describe('StatsObject.alarm()', () => {
  const alarmOf = (object: DurableObjectStub<StatsObject>) =>
    runInDurableObject(object, (_, { storage }) => storage.getAlarm())

  it('puts on disk what the save before it lacks, before an idle object is forgotten, and sleeps until more comes', async () => {
    const stats = newStats()
    await stats().add('one', 1, [{ name: 'a', delta: 5 }], 100)
    await stats().add('one', 2, [{ name: 'a', delta: 2 }], 100)
    expect(Number(await alarmOf(stats())) - Date.now()).toBeLessThan(10_000)
    expect(await runDurableObjectAlarm(stats())).toBe(true)
    expect(await runDurableObjectAlarm(stats())).toBe(false)
    await abortAllDurableObjects()
    expect(await stats().read()).toEqual([{ name: 'a', value: 7 }])
  })

  it('is not needed for batches that come more seldom than saves', async () => {
    const stats = newStats()
    for (const batch of [1, 2]) {
      await stats().add('one', batch, [{ name: 'a', delta: 5 }], 100)
      expect(await alarmOf(stats())).toBeNull()
      await abortAllDurableObjects()
    }
    expect(await stats().read()).toEqual([{ name: 'a', value: 10 }])
  })

  it.each([
    ['statistics that it cannot push', (stats: StatsObject) => stats.add('one', 1, [{ name: 'a', delta: 1 }], 10)],
    ['usage, of which nothing is pushed', (stats: StatsObject) => stats.report(report, 0)],
  ])('saves %s, and comes again after a pause', (_, send) =>
    runInDurableObject(newStats()(), async (_, state) => {
      onTestFinished(() => void vi.useRealTimers())
      vi.useFakeTimers({ toFake: ['Date'] })
      const nowhere = { USE_STATSD: 'true', STATSD_HOST: '127.0.0.1', STATSD_PORT: '1', LOG_LEVEL: 'panic' }
      const stats = new StatsObject(state, { ...bindings, ...nowhere } as RatelimitEnv)
      await send(stats)
      await stats.report(report, 0)
      vi.setSystemTime(Date.now() + 7_000)
      for (let alarm = 0; alarm < 2; alarm++) {
        await state.storage.deleteAlarm()
        await stats.alarm()
      }
      const next = await state.storage.getAlarm()
      expect(next === null ? null : next - Date.now() > 1_000).not.toBe(false)
    }),
  )
})

const report = {
  counts: [{ second: 1, domain: 'shop', rule: 'shop.a', admitted: 1, refused: 0, shadow: 0 }],
  ...{ used: [], refused: [], fills: [], samples: [] },
}
