/** Costs of decisions by rate: a service whose clock is moved, so that hours of a quiet one are metered in seconds. */

import { type ClassUsage, type MeteredWorker, startMetered, sumOf } from './metered.ts'
import { costOf, type Usage } from './prices.ts'

/** Decisions at even distances. */
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
  /** What it should cost at most: rows written by a decision, US dollars a million. */
  readonly aim?: { readonly rows?: number; readonly dollars: number }
}

/** What one plan used. */
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
    await putRules(worker, plan)
    let at = 0
    const decide = async (times: number) => {
      for (let done = 0; done < times; done++) {
        await decideOnce(worker, plan, at++)
        await worker.advance(plan.everyMs)
      }
    }
    await worker.advance(0)
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

async function decideOnce({ url }: MeteredWorker, { keys }: RatePlan, at: number): Promise<void> {
  const entries = [{ key: 'k', value: String(keys === 0 ? at : at % keys) }]
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

/** US dollars of a month of one class at the rate of a plan. */
export function monthOf({ plan, classes }: RateUsage, binding: string): number {
  const used = classes[binding]
  if (used === undefined) return 0
  const month = (30 * 86_400_000) / plan.everyMs / plan.count
  return costOf({ ...used, workerRequests: 0, cpuMs: 0 }) * month
}
