/** The reference service beside ours: the same random requests under the same random rules, answers, counters and statistics compared. */

import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRequest, writeResponse } from '#proto-json/json.ts'
import { listen } from '../support/listen.ts'
import { waitFor } from '../support/process.ts'
import { type RandomRun, randomRun } from '../support/random-rules.ts'
import { startService } from '../support/ratelimit-service.ts'
import { comparable } from '../support/ratelimit-traces.ts'
import { type RunningRedis, redisServer, startRedis } from '../support/redis.ts'
import { type RunningReference, referenceProgram, startReference } from '../support/reference-service.ts'

/** Settings that change what is decided, counted or answered, each with the seeds of its runs. */
const sets: readonly { readonly name: string; readonly vars: Readonly<Record<string, string>> }[] = [
  { name: 'default settings', vars: {} },
  {
    name: 'headers and metadata',
    vars: { LIMIT_RESPONSE_HEADERS_ENABLED: 'true', RESPONSE_DYNAMIC_METADATA: 'true', NEAR_LIMIT_RATIO: '0.7' },
  },
  { name: 'global quota mode', vars: { QUOTA_MODE: 'true', LIMIT_RESPONSE_HEADERS_ENABLED: 'true' } },
  { name: 'global shadow mode', vars: { SHADOW_MODE: 'true', CACHE_KEY_PREFIX: 'p1_' } },
  { name: 'local cache', vars: { LOCAL_CACHE_SIZE_IN_BYTES: '1000000', RESPONSE_DYNAMIC_METADATA: 'true' } },
  { name: 'stop increment', vars: { STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: 'true' } },
  {
    name: 'stop increment and local cache',
    vars: { STOP_CACHE_KEY_INCREMENT_WHEN_OVERLIMIT: 'true', LOCAL_CACHE_SIZE_IN_BYTES: '1000000' },
  },
]
const runsPerSet = Number(process.env.RATELIMIT_REFERENCE_RUNS ?? 12)
const firstSeed = Number(process.env.RATELIMIT_REFERENCE_SEED ?? 1)

/** Sums of the counters that a statsd client sends. */
interface StatsdSums {
  readonly port: number
  readonly sums: ReadonlyMap<string, number>
  stop(): void
}

async function listenForStats(): Promise<StatsdSums> {
  const sums = new Map<string, number>()
  const server: Server = createServer((socket) => {
    let rest = ''
    socket.on('data', (chunk) => {
      const lines = `${rest}${chunk.toString()}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [, name, value] = /^(.*):(\d+)\|c$/.exec(line) ?? []
        if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value))
      }
    })
    socket.on('error', () => {})
  })
  const port = await listen(server)
  return { port, sums, stop: () => server.close() }
}

/** The statistics of limits and domains, those that are zero left out. */
function limitStats(all: Iterable<readonly [string, number]>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...all]
      .filter(([name, value]) => value !== 0 && /^ratelimit\.service\.(rate_limit|global)/.test(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

const addressOf = ({ port }: RunningRedis) => ({ REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${port}` })

/** Tells if the program reads rules with metadata; an older one refuses the whole file. */
async function readsMetadata(): Promise<boolean> {
  const redis = await startRedis()
  const rules = 'domain: a\ndescriptors: [{key: b, metadata: {c: d}}]\n'
  const reference = await startReference(rules, addressOf(redis))
  try {
    const body = JSON.stringify({ domain: 'a', descriptors: [{ entries: [{ key: 'b', value: '1' }] }] })
    return (await fetch(`${reference.url}/json`, { method: 'POST', body })).status === 200
  } finally {
    await reference.stop()
    await redis.stop()
  }
}

describe.skipIf(referenceProgram === null || redisServer === null)(
  'shouldRateLimit decides and counts as the reference service does (skipped without RATELIMIT_REFERENCE, the path of its program, and redis-server)',
  () => {
    let isOld: boolean
    beforeAll(async () => {
      isOld = !(await readsMetadata())
    })

    describe.each(sets.map((set, index) => ({ ...set, index })))('$name', ({ vars, index }) => {
      // A program of January 2026 decides otherwise by the global quota mode.
      const settings = () => (isOld ? { ...vars, QUOTA_MODE: 'false' } : vars)
      let runs: readonly RandomRun[]
      let redis: RunningRedis
      let statsd: StatsdSums
      let reference: RunningReference

      beforeAll(async () => {
        ;[redis, statsd] = await Promise.all([startRedis(), listenForStats()])
        const hasOverrides = vars.LOCAL_CACHE_SIZE_IN_BYTES === undefined
        runs = Array.from({ length: runsPerSet }, (_, run) =>
          randomRun(firstSeed + index * 1_000_000 + run, { hasOverrides, isOld }),
        )
        const files = Object.fromEntries(runs.map(({ domain, yaml }) => [`${domain}.yaml`, yaml]))
        reference = await startReference(files, {
          ...addressOf(redis),
          USE_STATSD: 'true',
          STATSD_PORT: String(statsd.port),
          STATS_FLUSH_INTERVAL: '1s',
          ...settings(),
        })
      })

      afterAll(async () => {
        await reference?.stop()
        statsd?.stop()
        await redis?.stop()
      })

      it('in answers, counters and statistics', async () => {
        const { target, loadError } = await startService(
          { env: settings(), clock: null, configYaml: runs.map(({ yaml }) => yaml) },
          { readRequest, writeResponse },
        )
        expect(loadError).toBeNull()
        for (const { requests, yaml } of runs) {
          for (const request of requests) {
            const response = await fetch(`${reference.url}/json`, { method: 'POST', body: request })
            const text = (await response.text()).replace(isOld ? /, ?"quotaModeEnabled": ?false/ : '', '')
            const theirs = { status: response.status, body: comparable(text) }
            const { status, body } = await target.request(request)
            expect({ status, body: comparable(body) }, `${yaml}\n${request}`).toEqual(theirs)
          }
        }
        await expectSameCounters((await target.counters?.())?.store ?? {})
        const ours = limitStats(Object.entries((await target.stats?.()) ?? {}))
        const arrived = async () => JSON.stringify(limitStats(statsd.sums)) === JSON.stringify(ours)
        await waitFor('the statistics', arrived, reference.program, 8_000).catch(() => {})
        expect(ours).toEqual(limitStats(statsd.sums))
      })

      async function expectSameCounters(ours: Readonly<Record<string, { readonly value: number }>>) {
        const client = redis.client()
        const stored = await client.keys('*')
        const counts = stored.length === 0 ? [] : await client.mget(stored)
        const theirs = Object.fromEntries(stored.map((key, at) => [key, Number(counts[at])]))
        expect(Object.fromEntries(Object.entries(ours).map(([key, { value }]) => [key, value]))).toEqual(theirs)
      }
    })
  },
)
