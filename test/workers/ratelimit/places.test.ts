/** COUNTER_PLACES in the built service: hints change no answer, and a jurisdiction that the runtime lacks is refused. */

import { expect, it } from 'vitest'
import { startRatelimit } from '../../support/ratelimit-bundle.ts'

const rules = { 'shop.yaml': 'domain: shop\ndescriptors: [{key: a, rate_limit: {unit: day, requests_per_unit: 2}}]' }

it.each(['per-key', 'shard'])('COUNTER_PLACES with a location hint counts as without, %s', async (placement) => {
  const vars = { COUNTER_PLACEMENT: placement, COUNTER_PLACES: 'weur,shop=apac' }
  const service = await startRatelimit({ vars }, rules)
  try {
    const statuses: number[] = []
    for (let at = 0; at < 3; at++) statuses.push((await service.decide('shop', [[['a', 'b']]])).status)
    expect(statuses).toEqual([200, 200, 429])
  } finally {
    await service.stop()
  }
})

it('COUNTER_PLACES with a jurisdiction fails in a runtime that has none, and readiness says so', async () => {
  const service = await startRatelimit({ vars: { COUNTER_PLACES: 'shop=eu' } }, rules)
  try {
    expect((await service.decide('shop', [[['a', 'b']]])).status).toBe(400)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503)
  } finally {
    await service.stop()
  }
})
