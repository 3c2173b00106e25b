/** Two stock Envoys by quota assignments; `npm run soak -- kill-quotas` counts what they admit in whole minutes. */

import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { envoyProgram, startEnvoy } from '../support/envoy.ts'
import {
  enterMinute,
  minuteNow,
  pressEnvoy,
  type QuotaLoad,
  quotaLimit,
  quotaRules,
  quotaVars,
  startQuotaFront,
} from '../support/quota-load.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'
import { eventually } from '../support/wait.ts'

beforeAll(() => bundleWorkers(['ratelimit']))

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function startService(vars: Readonly<Record<string, string>> = quotaVars) {
  const service = await startRatelimit({ vars }, quotaRules)
  let front = await startQuotaFront(service)
  const { port } = front
  closing.push(service.stop, () => front.stop(0))
  return {
    service,
    stat: async (name: string) => (await service.stats()).get(`ratelimit.service.quota.${name}`) ?? 0,
    async envoy(example: string, name?: string) {
      const envoy = await startEnvoy(`envoy-quota/${example}`, { 8081: port }, name === undefined ? {} : { name })
      closing.push(envoy.stop)
      return envoy
    },
    /** Kills the front, and the runtime with its objects where it is so said. */
    async kill(isAll: boolean) {
      await front.stop(0)
      if (isAll) await service.restart(quotaVars)
      front = await startQuotaFront(service, port)
    },
  }
}

/** Waits until each load has passed more than before. */
async function passes(...loads: readonly QuotaLoad[]) {
  const before = loads.map((load) => load.passed())
  const holds = () => loads.every((load, at) => load.passed() > (before[at] ?? 0))
  await eventually('a request of each Envoy that passes', holds, () => [before, loads.map((load) => load.passed())])
}

/** Stops loads, and finds the most that passed in a minute. */
async function most(loads: readonly QuotaLoad[], from: number): Promise<number> {
  await Promise.all(loads.map((load) => load.stop()))
  const minutes = Array.from({ length: minuteNow() - from + 1 }, (_, at) => from + at)
  return Math.max(...minutes.map((at) => loads.reduce((sum, load) => sum + load.passedIn(at), 0)))
}

describe.skipIf(envoyProgram === null)('Envoy by quota assignments (skipped without envoy)', () => {
  it('two with unequal load that ask for more than the limit both pass, and never above it', async () => {
    const { envoy, stat } = await startService()
    const from = minuteNow()
    const loads = [pressEnvoy(await envoy('closed'), 12), pressEnvoy(await envoy('closed'), 40)]
    await passes(...loads)
    const asked = () => loads.map((load) => load.asked())
    // Each is assigned a share when it is new, and another one once its demand is known.
    const isAssigned = async () => (await stat('assignments')) >= 4
    await eventually('assignments by demand', isAssigned, () => asked())
    await eventually('more requests than the limit', () => (asked()[0] ?? 0) > quotaLimit, asked)
    await passes(...loads)
    expect(await most(loads, from)).toBeLessThanOrEqual(quotaLimit)
  })

  it('go on with their shares when the front, and then front and objects, are killed; one that is new gets a share', async () => {
    const { envoy, kill, stat } = await startService()
    const first = await envoy('closed', 'one')
    const loads = [pressEnvoy(first, 15), pressEnvoy(await envoy('closed', 'other'), 15)]
    const from = minuteNow()
    for (const isAll of [false, true]) {
      // Nothing is left to go on with once a window ends.
      await enterMinute(30_000)
      await passes(...loads)
      const before = await stat('reclaimed')
      await kill(isAll)
      const isReclaimed = async () => (await stat('reclaimed')) >= before + 2
      await eventually('both shares to be taken up', isReclaimed, () => loads.map((load) => load.passed()))
      await passes(...loads)
    }
    await loads[0]?.stop()
    await first.stop()
    const next = pressEnvoy(await envoy('closed', 'third'), 15)
    await passes(next)
    expect(await most([...loads, next], from)).toBeLessThanOrEqual(quotaLimit)
  })

  it('gets nothing from a service that knows no callers, and fails as its example says', async () => {
    const { envoy, stat } = await startService({})
    for (const [name, status] of [
      ['closed', 429],
      ['open', 200],
    ] as const) {
      const before = await stat('streams_refused')
      const { url } = await envoy(name)
      expect((await fetch(url)).status).toBe(status)
      await expect.poll(() => stat('streams_refused')).toBeGreaterThan(before)
      expect((await fetch(url)).status).toBe(status)
    }
  })
})
