/** The store over CounterObject owes what every counter store owes, wherever its keys are placed. */

import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { counterStore } from '#objects/ratelimit/back-end/counter-store.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import { testCounterStore } from '#test/contracts/counter-store.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

/** The longest wait for a hit: longer than any test, because the first one loads the objects. */
const waitMs = 3_600_000

testCounterStore({ name: 'an object for every key', create: () => counterStore(COUNTER, { kind: 'per-key' }, waitMs) })
testCounterStore({ name: 'three shards', create: () => counterStore(COUNTER, { kind: 'shard', shards: 3 }, waitMs) })

test('counterStore() counts nothing of a request with one joint hit whose limit is over', async () => {
  const store = counterStore(COUNTER, { kind: 'per-key' }, waitMs)
  const hit = { key: `joint_${Date.now()}_`, unit: 'YEAR', addend: 2, limit: 2 } as const
  const valueAfter = async (one: CounterHit) => (await store.hit([one])).map(({ after }) => after)
  expect(await valueAfter(hit)).toEqual([2])
  const refused = await valueAfter({ ...hit, addend: 1, joint: { rest: 0, mayRefuse: true, isTogether: true } })
  expect(refused).toEqual([3])
  expect(await valueAfter({ ...hit, addend: 0 })).toEqual([2])
})
