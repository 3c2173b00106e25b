/** Configuration swaps while requests run, and how old the rules of an isolate may be. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { hostServices } from '../../support/host-services.ts'
import { adminToken, oneLimit, question, type ServiceClient } from '../../support/ratelimit-servers.ts'

const staleness = 200
const vars = { ADMIN_TOKEN: adminToken, RULES_MAX_STALENESS: `${staleness}ms` }
const elsewhere = { RULE_BOOK: { className: 'RuleBookObject', worker: 'service-0' } }

// The second service is another isolate that shares the first one's configuration, as two places of the edge do.
const { client } = hostServices([vars, vars], { objects: [{}, elsewhere] })

/** Two rules that always carry the same number, so that a mixture of two revisions would show. */
function pair(domain: string, requests: number): string {
  return oneLimit(domain, 'day', requests, 'a') + oneLimit(domain, 'day', requests, 'b').split('\n').slice(2).join('\n')
}

interface Answer {
  readonly statuses: readonly { readonly currentLimit: { readonly requestsPerUnit: number } }[]
}

async function limitsNow(service: ServiceClient, domain: string): Promise<readonly number[]> {
  const response = await service.decide(question(domain, ['a', '1'], ['b', '1']))
  expect(response.status).toBe(200)
  const { statuses } = (await response.json()) as Answer
  return statuses.map(({ currentLimit }) => currentLimit.requestsPerUnit)
}

describe('configuration swaps', () => {
  it('100 of them under load fail no request and mix no revisions within one', async () => {
    await client(0).load([pair('swap', 1_000_000)])
    let isOver = false
    let answers = 0
    const seen = new Set<number>()
    const ask = async (place: number) => {
      while (!isOver) {
        const [first, second] = await limitsNow(client(place), 'swap')
        expect(second).toBe(first)
        if (first !== undefined) seen.add(first)
        answers += 1
      }
    }
    const callers = [ask(0), ask(0), ask(0), ask(1), ask(1), ask(1)]
    for (let swap = 1; swap <= 100; swap++) {
      expect(await client(0).load([pair('swap', 1_000_000 + swap)])).toBeNull()
      if (swap % 10 === 0) expect(await client(0).load(['descriptors: []\n'])).not.toBeNull()
    }
    isOver = true
    await Promise.all(callers)
    expect(answers).toBeGreaterThan(100)
    expect(seen.size).toBeGreaterThan(20)
  })

  it('reach the isolate that took them at once', async () => {
    await client(0).load([pair('swap', 2_000_001)])
    expect(await limitsNow(client(0), 'swap')).toEqual([2_000_001, 2_000_001])
  })

  it('reach an idle isolate with its first request after RULES_MAX_STALENESS', async () => {
    await limitsNow(client(1), 'swap')
    await client(0).load([pair('swap', 3_000_001)])
    await sleep(staleness + 50)
    expect(await limitsNow(client(1), 'swap')).toEqual([3_000_001, 3_000_001])
  })

  it('reach a busy isolate within RULES_MAX_STALENESS', async () => {
    await limitsNow(client(1), 'swap')
    await client(0).load([pair('swap', 4_000_001)])
    const changedAt = Date.now()
    let askedAt = 0
    let limits: readonly number[] = []
    do {
      askedAt = Date.now()
      limits = await limitsNow(client(1), 'swap')
      await sleep(5)
    } while (limits[0] !== 4_000_001 && askedAt < changedAt + 5_000)
    // The answer that was still old was asked for within the bound; 150 ms cover the two clocks and this loop.
    expect(askedAt - changedAt).toBeLessThan(staleness + 150)
  })
})
