/** The store over CounterObject owes what every counter store owes, wherever its keys are placed. */

import { env } from 'cloudflare:workers'
import { counterStore } from '#objects/ratelimit/back-end/counter-store.ts'
import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { testCounterStore } from '#test/contracts/counter-store.ts'

// The pool gives the bindings of wrangler.toml, which are these.
const { COUNTER } = env as unknown as RatelimitEnv

/** The longest wait for a hit: longer than any test, because the first one loads the objects. */
const waitMs = 3_600_000

testCounterStore({ name: 'an object for every key', create: () => counterStore(COUNTER, { kind: 'per-key' }, waitMs) })
testCounterStore({ name: 'three shards', create: () => counterStore(COUNTER, { kind: 'shard', shards: 3 }, waitMs) })
