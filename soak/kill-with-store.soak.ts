/** The same kills with Redis and with memcached behind: what the store has counted outlives the service. */

import { startMemcached } from '#test/support/memcached.ts'
import { startRedis } from '#test/support/redis.ts'
import { callerCount, killUnderLoad } from './kill-counters.soak.ts'
import { type Outcome, type Soak, scaled } from './outcome.ts'

export const run: Soak = async (scale) => {
  const redis = await startRedis()
  const memcached = await startMemcached()
  try {
    const kills = scaled(50, scale)
    const outcomes = [
      await killUnderLoad(kills, {
        BACKEND_TYPE: 'redis',
        REDIS_SOCKET_TYPE: 'tcp',
        REDIS_URL: `127.0.0.1:${redis.port}`,
      }),
      // Over memcached hits are counted after the answer, as the reference counts them, so a kill may lose those that
      // are under way. Without a policy a counter that cannot be read in time admits, also as the reference does.
      await killUnderLoad(
        kills,
        { BACKEND_TYPE: 'memcache', MEMCACHE_HOST_PORT: `127.0.0.1:${memcached.port}`, FAILURE_POLICY: 'closed' },
        callerCount,
      ),
    ]
    return together(['Redis', 'memcached'], outcomes)
  } finally {
    await redis.stop()
    await memcached.stop()
  }
}

function together(names: readonly string[], outcomes: readonly Outcome[]): Outcome {
  const named = (texts: (outcome: Outcome) => readonly string[]) =>
    outcomes.flatMap((outcome, at) => texts(outcome).map((text) => `${names[at]}: ${text}`))
  return {
    done: outcomes.map(({ done }, at) => `${done} with ${names[at]}`).join(', '),
    facts: named(({ facts }) => facts),
    violations: named(({ violations }) => violations),
  }
}
