/** Costs of decisions by rate: a service whose clock is moved, so that hours of a quiet one are metered in seconds. */

import { type ClassUsage, type MeteredWorker, startMetered, sumOf } from './metered.ts'
import type { Usage } from './prices.ts'

/**
 * Decisions at even distances. Those of `before` take more than the time between two batches of statistics, whose
 * objects make their tables with the first one.
 */
export interface RatePlan {
  readonly name: string
  /** Milliseconds between two decisions. */
  readonly everyMs: number
  /** Keys that take turns; 0 for a new key each time. */
  readonly keys: number
  readonly unit: 'minute' | 'hour' | 'day'
  readonly limit: number
  readonly vars: Readonly<Record<string, string>>
  /** Decisions that are metered, after as many of `before` that are not. */
  readonly count: number
  readonly before: number
  /** The most that it should cost: rows written by a decision, US dollars a million. */
  readonly aim?: { readonly rows?: number; readonly dollars: number }
}

/** The use of one plan. */
export interface RateUsage {
  readonly plan: RatePlan
  /** By binding of the classes. */
  readonly classes: Readonly<Record<string, ClassUsage>>
  readonly usage: Usage
}

const adminToken = 'token-of-the-bench'
/** Milliseconds after which everything that counters and statistics leave behind is cleaned up. */
const longestLifeMs = { minute: 3_600_000, hour: 4 * 3_600_000, day: 4 * 86_400_000 } as const

/**
 * Meters a plan. New keys are metered until nothing is left of them.
 *
 * @param cpuMs - milliseconds of processor time of a decision, which this clock cannot tell.
 */
export async function meterRate(plan: RatePlan, cpuMs: number): Promise<RateUsage> {
  const worker = await startMetered({ ADMIN_TOKEN: adminToken, ...plan.vars })
  try {
    // Before the first request: what an isolate has once taken for its clock it keeps.
    await worker.advance(0)
    await putRules(worker, plan)
    let at = 0
    const decide = async (times: number) => {
      for (let done = 0; done < times; done++) {
        await decideOnce(worker, plan, at++)
        await worker.advance(plan.everyMs)
      }
    }
    await decide(plan.before)
    await worker.readMeters()
    await decide(plan.count)
    if (plan.keys === 0) await cleanUp(worker, longestLifeMs[plan.unit])
    const classes = await worker.readMeters()
    const used = { workerRequests: plan.count, cpuMs: cpuMs * plan.count }
    return { plan, classes, usage: { ...used, ...sumOf(Object.values(classes)) } }
  } finally {
    await worker.stop()
  }
}

async function putRules({ url }: MeteredWorker, { unit, limit }: RatePlan): Promise<void> {
  const rules = `domain: d\ndescriptors: [{key: k, rate_limit: {unit: ${unit}, requests_per_unit: ${limit}}}]\n`
  const answer = await fetch(`${url}/config/files`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${adminToken}` },
    body: JSON.stringify({ files: { 'config.d.yaml': rules } }),
  })
  if (!answer.ok) throw new Error(`Cannot set the rules: ${answer.status} ${await answer.text()}`)
}

async function decideOnce({ url }: MeteredWorker, { keys, before }: RatePlan, at: number): Promise<void> {
  // Decisions that are not metered leave no counter to be cleaned up: they are of the one key that is not new.
  const entries = [{ key: 'k', value: String(keys === 0 ? Math.max(0, at - before) : at % keys) }]
  const body = JSON.stringify({ domain: 'd', descriptors: [{ entries }] })
  const answer = await fetch(`${url}/json`, { method: 'POST', body })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`Cannot meter: a decision answered ${answer.status} ${text}`)
}

/** Moves the clock until no counter waits for its alarm. */
async function cleanUp(worker: MeteredWorker, longestMs: number): Promise<void> {
  const stepMs = longestMs / 60
  for (let passedMs = 0; passedMs < longestMs; passedMs += stepMs) {
    const { COUNTER = 0 } = await worker.advance(stepMs)
    if (COUNTER === 0) return
  }
  throw new Error(`Cannot meter: counters still wait for their alarms after ${longestMs} ms`)
}

const perKey = { COUNTER_PLACEMENT: 'per-key' }
const shard = { COUNTER_PLACEMENT: 'shard' }
const large = 100_000_000

/**
 * The plans of the table, by rate.
 *
 * @param redis - `host:port` of a Redis; undefined for none.
 */
export function ratePlans(redis: string | undefined): readonly RatePlan[] {
  const [second, minute, hour] = [1_000, 60_000, 3_600_000]
  const some = { keys: 5, unit: 'minute', limit: 1_000, vars: perKey, count: 240, before: 60 } as const
  const store = {
    BACKEND_TYPE: 'redis',
    REDIS_TYPE: 'SINGLE',
    REDIS_SOCKET_TYPE: 'tcp',
    REDIS_URL: redis ?? '',
    REDIS_POOL_SIZE: '1',
  }
  return [
    { ...some, ...{ name: 'one an hour, a key', everyMs: hour, keys: 1, unit: 'day', count: 24, before: 2 } },
    { ...some, name: 'one a minute, a key', everyMs: minute, keys: 1, unit: 'hour', count: 60, before: 10 },
    {
      ...some,
      name: 'one a second, each a new key',
      everyMs: second,
      keys: 0,
      count: 600,
      aim: { rows: 4, dollars: 5 },
    },
    { ...some, name: 'one a second, 5 keys', everyMs: second, aim: { rows: 0.2, dollars: 0.9 } },
    { ...some, name: 'one a second, 5 keys, limit 100', everyMs: second, limit: 100 },
    {
      ...some,
      name: 'one a second, 5 keys, in shards',
      everyMs: second,
      vars: shard,
      aim: { rows: 0.2, dollars: 0.9 },
    },
    { ...some, name: 'one a second, a key', everyMs: second, keys: 1, aim: { rows: 0.2, dollars: 0.9 } },
    {
      ...some,
      name: 'one a second, a key, leases',
      everyMs: second,
      keys: 1,
      unit: 'hour',
      limit: large,
      vars: { ...perKey, LEASES: 'on' },
    },
    { ...some, name: 'ten a second, 5 keys', everyMs: 100, unit: 'hour', count: 600, before: 250 },
    {
      ...some,
      name: 'ten a second, 500 keys, in shards',
      everyMs: 100,
      keys: 500,
      unit: 'hour',
      vars: shard,
      count: 600,
      before: 500,
    },
    {
      ...some,
      name: 'ten a second, a key, leases',
      everyMs: 100,
      keys: 1,
      unit: 'hour',
      limit: large,
      ...{ vars: { ...perKey, LEASES: 'on' }, count: 600, before: 250 },
    },
    {
      ...some,
      name: 'a hundred a second, a key, leases',
      everyMs: 10,
      keys: 1,
      unit: 'hour',
      limit: large,
      ...{ vars: { ...perKey, LEASES: 'on' }, count: 6_000, before: 2_500 },
      aim: { dollars: 0.35 },
    },
    ...(redis === undefined
      ? []
      : [
          {
            ...some,
            name: 'one a minute, a key, Redis',
            everyMs: minute,
            keys: 1,
            vars: store,
            unit: 'hour' as const,
            count: 60,
            before: 10,
          },
          { ...some, name: 'one a second, 5 keys, Redis', everyMs: second, vars: store },
          { ...some, name: 'ten a second, 5 keys, Redis', everyMs: 100, vars: store, count: 600, before: 250 },
        ]),
  ]
}
