/** Durability: the service is killed under load again and again, and no admitted hit is forgotten. */

import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../../support/folder.ts'
import { adminToken, buildService, oneLimit, question, serviceClient } from '../../support/ratelimit-servers.ts'
import { sweep } from '../../support/sweep.ts'
import { bundledWorker, startWorkerd } from '../../support/workerd.ts'

const limit = 2_000
const body = question('shop', ['k', 'v'])

beforeAll(buildService)

const kills = sweep(10, 4)
/** Hits that all kills together may refuse too early: how far ceilings on disk are ahead of the count. */
const ahead = { durable: limit / 100, strict: 0 } as const

describe.each([
  { placement: 'per-key', durability: 'durable' },
  { placement: 'shard', durability: 'durable' },
  { placement: 'per-key', durability: 'strict' },
] as const)(`killed ${kills} times under load, $placement, $durability`, ({ placement, durability }) => {
  it('never admits more than a day allows, forgets no hit and counts none twice', async () => {
    const folder = makeFolder(onTestFinished)
    const vars = { ADMIN_TOKEN: adminToken, COUNTER_PLACEMENT: placement, COUNTER_DURABILITY: durability }
    const start = () => startWorkerd({ ...bundledWorker('ratelimit'), vars, folder })
    let server = await start()
    const seen = { sent: 0, admitted: 0, refused: 0, other: 0 }
    let url = server.url
    let isOver = false
    const ask = async () => {
      while (!isOver) {
        seen.sent += 1
        const status = await fetch(`${url}/json`, { method: 'POST', body }).then(
          (response) => response.status,
          () => 0,
        )
        if (status === 200) seen.admitted += 1
        else if (status === 429) seen.refused += 1
        else if (status === 0) await sleep(10)
        else seen.other += 1
      }
    }
    try {
      expect(await serviceClient(url).load([oneLimit('shop', 'day', limit)])).toBeNull()
      const day = Math.floor(Date.now() / 86_400_000)
      const callers = Array.from({ length: 16 }, ask)
      for (let turn = 0; turn < kills; turn++) {
        await sleep(100 + turn * 20)
        await server.kill()
        server = await start()
        url = server.url
      }
      await expect.poll(() => seen.refused).toBeGreaterThanOrEqual(50)
      isOver = true
      await Promise.all(callers)
      const reading = await serviceClient(url).operate('/counters?key=shop_k_v_')
      const { counters } = (await reading.json()) as { counters: readonly { hits: number }[] }
      expect(Math.floor(Date.now() / 86_400_000)).toBe(day)
      expect(seen.other).toBe(0)
      expect(seen.admitted).toBeGreaterThan(0)
      expect(seen.admitted).toBeLessThanOrEqual(limit)
      // Every answered hit is there; one that was never answered may be, and the rests of ceilings.
      expect(counters[0]?.hits).toBeGreaterThanOrEqual(seen.admitted + seen.refused)
      expect(counters[0]?.hits).toBeLessThanOrEqual(seen.sent + ahead[durability])
    } finally {
      isOver = true
      await server.kill()
    }
  })
})
