/** RegionObject over real counters: it hands on what it holds, admits from it, and gives back what comes back. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { decodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'

const { COUNTER, LEASE_REGION } = env as unknown as RatelimitEnv // The bindings of wrangler.toml.
const day = 3
const limit = 100_000

function regionOf(name: string) {
  const object = `key:${name}`
  const stub = LEASE_REGION.getByName(`weur key:${name}`)
  let id = 1
  return {
    async ask(addend: number, wanted: number, returned: readonly number[] = []) {
      id += 1
      const wire: WireDraw = [name, day, addend, limit, wanted, 0, returned]
      const [draw] = await stub.lease({ object, id, holder: 1, draws: [wire] })
      return { id, draw }
    },
    async counted() {
      const look: WireDraw = [name, day, 0, limit, 0, 0, []]
      const [draw] = decodeDraws(await COUNTER.getByName(object).lease(Math.random() * 2 ** 50, 9, [look]))
      return draw?.after
    },
  }
}

it('RegionObject.lease() asks the counter once, then admits and hands on from what it holds', async () => {
  const { ask, counted } = regionOf('region_a_')
  const first = await ask(1, 40)
  expect(first.draw).toMatchObject({ granted: 20, faults: 0 })
  const before = await counted()
  for (let at = 0; at < 5; at++) expect((await ask(1, 2)).draw?.granted).toBeGreaterThan(0)
  expect(await counted()).toBe(before)
  expect((await ask(0, 0, [first.id, 15])).draw?.faults).toBe(0)
  expect((await ask(0, 0, [first.id, 15])).draw?.faults).toBe(1)
  expect((await ask(0, 0, [999, 5])).draw?.faults).toBe(1)
})

it('RegionObject.lease() refuses by the counter, and never hands on more than it holds', async () => {
  const { ask, counted } = regionOf('region_b_')
  let admitted = 0
  let handedOn = 0
  for (let at = 0; at < 40; at++) {
    const { draw } = await ask(1, 1_000)
    admitted += 1
    handedOn += draw?.granted ?? 0
  }
  expect(admitted + handedOn).toBeLessThanOrEqual((await counted()) ?? 0)
  expect(handedOn).toBeGreaterThan(0)
  const { draw } = await ask(limit, 0)
  expect((draw?.after ?? 0) - (draw?.granted ?? 0)).toBeGreaterThan(limit)
})
