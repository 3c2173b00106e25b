/** Durability of reservations: the service is killed under load, and none is settled twice, none is lost. */

import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { adminToken, buildService, serviceClient } from '../../support/ratelimit-servers.ts'
import { callerRules, mostAhead, startReservationCallers } from '../../support/reservation-callers.ts'
import { bundledWorker, startWorkerd } from '../../support/workerd.ts'

beforeAll(buildService)

describe.each([
  ['per-key', 'strict'],
  ['shard', 'durable'],
  ['per-key', 'relaxed'],
] as const)('reservations in a service that is killed four times, %s and %s', (placement, durability) => {
  it('are settled once each, at their true cost, and holders never exceed their limit', async () => {
    const folder = makeFolder(onTestFinished)
    const vars = { ADMIN_TOKEN: adminToken, COUNTER_PLACEMENT: placement, COUNTER_DURABILITY: durability }
    const start = () => startWorkerd({ ...bundledWorker('ratelimit'), vars, folder })
    let server = await start()
    try {
      expect(await serviceClient(server.url).load([callerRules])).toBeNull()
      const callers = startReservationCallers(() => server.url, 8)
      for (let kill = 0; kill < 4; kill++) {
        const enough = callers.settled() + 20
        await expect.poll(callers.settled, { timeout: 20_000 }).toBeGreaterThan(enough)
        await server.kill()
        server = await start()
      }
      const { costs, settled, acquired, violations } = await callers.stop()
      expect(violations).toEqual([])
      expect([settled > 80, acquired > 20]).toEqual([true, true])
      const used = await callers.used('user')
      expect(used).toBeGreaterThanOrEqual(costs)
      expect(used - costs).toBeLessThanOrEqual(mostAhead(durability))
      expect(await callers.used('held')).toBe(0)
    } finally {
      await server.kill()
    }
  })
})
