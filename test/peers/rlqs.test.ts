import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { startGrpcFront } from '#bin/grpc-front/front.ts'
import { projectRoot } from '#bin/project.ts'
import { envoyProgram, type RunningEnvoy, startEnvoy } from '../support/envoy.ts'
import { adminToken, type RunningRatelimit, startRatelimit } from '../support/ratelimit-bundle.ts'

const rules = {
  'gateway.yaml': readFileSync(join(projectRoot, 'examples/envoy-quota/config/gateway.yaml'), 'utf8'),
}
const limit = 1_200
const minuteMs = 60_000

beforeAll(() => bundleWorkers(['ratelimit']))

/** Requests that passed, by the minutes in which they were sent and answered. */
interface Load {
  readonly passed: ReadonlyMap<number, number>
  readonly straddling: ReadonlyMap<number, number>
  total(): number
  stop(): Promise<void>
}

/** Asks an Envoy at a steady pace; what it misses of the pace is not made up. */
function load(envoy: RunningEnvoy, everyMs: number): Load {
  const passed = new Map<number, number>()
  const straddling = new Map<number, number>()
  let isOver = false
  let total = 0
  const asked = new Set<Promise<void>>()
  const ask = async () => {
    const sent = Math.floor(Date.now() / minuteMs)
    const status = await fetch(envoy.url).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => 0,
    )
    if (status !== 200) return
    total += 1
    const answered = Math.floor(Date.now() / minuteMs)
    const book = sent === answered ? passed : straddling
    book.set(answered, (book.get(answered) ?? 0) + 1)
  }
  const run = async () => {
    while (!isOver) {
      const one = ask().finally(() => asked.delete(one))
      asked.add(one)
      await sleep(everyMs)
    }
    await Promise.all(asked)
  }
  const done = run()
  return {
    passed,
    straddling,
    total: () => total,
    async stop() {
      isOver = true
      await done
    },
  }
}

/** A front that takes streams to the runtime, as `npm start` has one. */
const frontOf = ({ url, runtimeUrl }: RunningRatelimit) => {
  return { upstream: url, quota: { url: runtimeUrl }, host: '127.0.0.1', port: 0 }
}
const minute = () => Math.floor(Date.now() / minuteMs)
const sum = (loads: readonly Load[], at: number) =>
  loads.reduce((total, { passed }) => total + (passed.get(at) ?? 0), 0)

describe.skipIf(envoyProgram === null)('Envoy by quota assignments (skipped without envoy)', () => {
  it('two with unequal load share one limit: never above it, within 5 % of it under overload', async () => {
    const service = await startRatelimit({ vars: { QUOTA_STREAMS: 'open' } }, rules)
    const front = await startGrpcFront(frontOf(service))
    const envoys = [
      await startEnvoy('envoy-quota/closed', { 8081: front.port }),
      await startEnvoy('envoy-quota/closed', { 8081: front.port }),
    ]
    const loads = envoys.map((envoy, at) => load(envoy, at === 0 ? 12 : 40))
    const first = minute() + 1
    let last = first
    // On a machine that is busy elsewhere minutes pass with late messages: one of six has to be filled.
    for (; last < first + 6; last++) {
      await expect.poll(minute, { timeout: 130_000, interval: 200 }).toBe(last + 1)
      if (sum(loads, last) >= 0.95 * limit) break
    }
    await Promise.all(loads.map((one) => one.stop()))
    for (let at = first; at <= last; at++) expect(sum(loads, at)).toBeLessThanOrEqual(limit)
    expect(sum(loads, last)).toBeGreaterThanOrEqual(0.95 * limit)
    for (const { passed } of loads) expect(passed.get(last) ?? 0).toBeGreaterThan(0)
    const stats = await service.stats()
    expect(stats.get('ratelimit.service.quota.assignments')).toBeGreaterThanOrEqual(4)
    for (const envoy of envoys) await envoy.stop()
    await front.stop()
    await service.stop()
  }, 600_000)

  it('front, object and Envoy killed in turn: never above the limit, and assigned again', async () => {
    const service = await startRatelimit({ vars: { QUOTA_STREAMS: 'open' } }, rules)
    let front = await startGrpcFront(frontOf(service))
    const { port } = front
    let envoy = await startEnvoy('envoy-quota/closed', { 8081: port })
    const other = await startEnvoy('envoy-quota/closed', { 8081: port })
    const loads = [load(envoy, 20), load(other, 20)]
    const passes = (at: number) => {
      const before = loads[at]?.total() ?? 0
      return expect.poll(() => loads[at]?.total() ?? 0).toBeGreaterThan(before)
    }
    await passes(0)
    await passes(1)
    await front.stop(0)
    front = await startGrpcFront({ ...frontOf(service), port })
    await passes(0)
    // The objects go with the runtime: what was handed out stays charged, and Envoys are taken up by their reports.
    const streams = async () => (await service.stats()).get('ratelimit.service.quota.streams') ?? 0
    const opened = await streams()
    await service.restart({ ADMIN_TOKEN: adminToken, QUOTA_STREAMS: 'open' })
    await expect.poll(streams).toBeGreaterThan(opened)
    await loads[0]?.stop()
    await envoy.stop()
    envoy = await startEnvoy('envoy-quota/closed', { 8081: port })
    loads.push(load(envoy, 20))
    await passes(2)
    const seen = minute()
    await Promise.all(loads.map((one) => one.stop()))
    for (let at = seen - 3; at <= seen; at++) expect(sum(loads, at)).toBeLessThanOrEqual(limit)
    await envoy.stop()
    await other.stop()
    await front.stop()
    await service.stop()
  })

  it('keeps its share when the front, and then front and service, are killed: less than 5 % of a minute is lost', async () => {
    const service = await startRatelimit({ vars: { QUOTA_STREAMS: 'open' } }, rules)
    let front = await startGrpcFront(frontOf(service))
    const { port } = front
    const envoys = [
      await startEnvoy('envoy-quota/closed', { 8081: port }, { name: 'one' }),
      await startEnvoy('envoy-quota/closed', { 8081: port }, { name: 'other' }),
    ]
    const loads = envoys.map((envoy) => load(envoy, 15))
    const reclaimed = async () => (await service.stats()).get('ratelimit.service.quota.reclaimed') ?? 0
    const killFront = async () => {
      await front.stop(0)
      front = await startGrpcFront({ ...frontOf(service), port })
    }
    const killAll = async () => {
      await front.stop(0)
      await service.restart({ ADMIN_TOKEN: adminToken, QUOTA_STREAMS: 'open' })
      front = await startGrpcFront({ ...frontOf(service), port })
    }
    const lost: string[] = []
    for (const kill of [killFront, killAll]) {
      // On a machine that is busy elsewhere minutes pass with late messages: one of four has to be filled.
      for (let tries = 0; ; tries++) {
        const at = minute() + 1
        await expect.poll(minute, { timeout: 130_000, interval: 200 }).toBe(at)
        await sleep(10_000)
        await kill()
        await expect.poll(minute, { timeout: 130_000, interval: 200 }).toBe(at + 1)
        lost.push(`${sum(loads, at)} of ${limit}`)
        expect(sum(loads, at)).toBeLessThanOrEqual(limit)
        if (sum(loads, at) >= 0.9 * limit) break
        if (tries === 3) throw new Error(`the kill costs too much: ${lost.join(', ')} were admitted`)
      }
      expect(await reclaimed()).toBeGreaterThanOrEqual(2)
    }
    await Promise.all(loads.map((one) => one.stop()))
    for (const envoy of envoys) await envoy.stop()
    await front.stop()
    await service.stop()
  }, 900_000)

  it('gets nothing from a service that knows no callers, and fails as its example says', async () => {
    const service = await startRatelimit({}, rules)
    const front = await startGrpcFront(frontOf(service))
    for (const [name, status] of [
      ['closed', 429],
      ['open', 200],
    ] as const) {
      const envoy = await startEnvoy(`envoy-quota/${name}`, { 8081: front.port })
      const refused = async () => (await service.stats()).get('ratelimit.service.quota.streams_refused') ?? 0
      const before = await refused()
      expect((await fetch(envoy.url)).status).toBe(status)
      await expect.poll(refused).toBeGreaterThan(before)
      expect((await fetch(envoy.url)).status).toBe(status)
      await envoy.stop()
    }
    await front.stop()
    await service.stop()
  })
})
