/** Redis and memcached die and come back under load: each domain's failure policy holds, and counting goes on. */

import { setTimeout as sleep } from 'node:timers/promises'
import { startMemcached } from '#test/support/memcached.ts'
import { freePort } from '#test/support/process.ts'
import { startRedis } from '#test/support/redis.ts'
import { gatherViolations, type Soak, scaled, type Violations } from './outcome.ts'
import { prepareService } from './service.ts'
import { Wire } from './wire.ts'

/** Status of each domain while its counters cannot be reached. */
const policies = { plain: 400, shop: 200, bank: 429 } as const
type Domain = keyof typeof policies
const domains = Object.keys(policies) as Domain[] // the keys of the table itself

/** A store that can be ended and started again on its port. */
interface Store {
  readonly name: string
  readonly vars: Readonly<Record<string, string>>
  readonly start: () => Promise<{ readonly stop: (signal?: NodeJS.Signals) => Promise<void> }>
}

async function stores(): Promise<readonly Store[]> {
  const [redis, memcached] = [await freePort(), await freePort()]
  return [
    {
      name: 'Redis',
      vars: { BACKEND_TYPE: 'redis', REDIS_SOCKET_TYPE: 'tcp', REDIS_URL: `127.0.0.1:${redis}` },
      start: () => startRedis([], redis),
    },
    {
      name: 'memcached',
      vars: { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: `127.0.0.1:${memcached}` },
      start: () => startMemcached(memcached),
    },
  ]
}

export const run: Soak = async (scale) => {
  const rounds = scaled(10, scale)
  const violations = gatherViolations()
  const facts: string[] = []
  for (const store of await stores()) facts.push(await outage(store, rounds, violations))
  return { done: `${rounds} outages of each store`, facts, violations: violations.list() }
}

async function outage({ name, vars, start }: Store, rounds: number, violations: Violations): Promise<string> {
  const rules = Object.fromEntries(
    domains.map((domain) => [
      `${domain}.yaml`,
      `domain: ${domain}\ndescriptors:\n  - {key: k, rate_limit: {unit: hour, requests_per_unit: 1000000}}\n`,
    ]),
  )
  const service = await prepareService({ rules, vars: { ...vars, FAILURE_POLICY: 'error,shop=open,bank=closed' } })
  let store = await start()
  await service.start()
  const wires = new Map(domains.map((domain) => [domain, new Wire(service.ports.http, 15_000)]))
  const ask = async (domain: Domain) => {
    const body = JSON.stringify({ domain, descriptors: [{ entries: [{ key: 'k', value: 'v' }] }] })
    const answer = await wires.get(domain)?.ask({ method: 'POST', target: '/json', body })
    return { status: answer?.status ?? 0, isCounted: answer?.body.includes('"limitRemaining"') ?? false }
  }
  const recoveries: number[] = []
  for (let round = 0; round < rounds; round++) {
    await store.stop('SIGKILL')
    for (let asked = 0; asked < 20; asked++) {
      for (const domain of domains) {
        const { status } = await ask(domain)
        if (status !== policies[domain]) {
          violations.add(`${name} down: domain "${domain}" was answered ${status}, its policy says ${policies[domain]}`)
        }
      }
    }
    store = await start()
    const began = Date.now()
    // Each connection of the pool comes back for itself: it is back when nothing is missed for a second.
    let missed = began
    while (Date.now() - missed < 1_000 && Date.now() - began < 30_000) {
      if (!(await allCounted(ask))) missed = Date.now()
      await sleep(20)
    }
    recoveries.push(missed - began)
    if (Date.now() - began >= 30_000)
      violations.add(`${name} came back, and half a minute later not every hit was counted`)
  }
  for (const wire of wires.values()) wire.close()
  await service.stop()
  await store.stop()
  return `${name}: every hit counted again within ${Math.max(...recoveries)} ms`
}

async function allCounted(ask: (domain: Domain) => Promise<{ readonly isCounted: boolean }>): Promise<boolean> {
  for (const domain of domains) if (!(await ask(domain)).isCounted) return false
  return true
}
