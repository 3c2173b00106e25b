/** The counters of a shared Redis as an operator handles them, in one pipeline for each store. */

import {
  type HitCommands,
  lowerCommands,
  raiseCommands,
  readCommands,
  readStored,
  removeCommands,
} from '#ratelimit/redis/commands.ts'
import type { Reply } from '#ratelimit/redis/resp.ts'
import { redisRaise, type StoreWindow } from '#ratelimit/store-block.ts'
import type { Unit } from '#ratelimit/types.ts'
import type { StoreCounters } from '../operator-counters.ts'
import type { RedisStore } from './store.ts'

/**
 * Makes the operations of a deployment.
 *
 * @param storeOf - the store that holds the counters of a unit.
 * @param jitter - draws the whole seconds added to a time to live.
 */
export function redisCounters(storeOf: (unit: Unit) => RedisStore, jitter: () => number): StoreCounters {
  /** Runs one command for every window; the replies are in the order of the windows. */
  async function run(
    windows: readonly StoreWindow[],
    commandsOf: (window: StoreWindow) => HitCommands,
  ): Promise<readonly (Reply | undefined)[]> {
    const places = new Map<RedisStore, number[]>()
    for (const [at, { unit }] of windows.entries()) {
      const store = storeOf(unit)
      places.set(store, [...(places.get(store) ?? []), at])
    }
    const replies: (Reply | undefined)[] = new Array(windows.length)
    const runs = [...places].map(async ([store, own]) => {
      const groups = own.flatMap((at) => windows[at] ?? []).map(commandsOf)
      const answers = await store.run(groups)
      for (const [index, at] of own.entries()) replies[at] = answers[index]?.[0]
    })
    await Promise.all(runs)
    return replies
  }

  return {
    raise: redisRaise,
    read: async (windows) => (await run(windows, readCommands)).map(readStored),
    async raiseAll(windows, { now }) {
      await run(windows, (window) => raiseCommands(window, now, jitter()))
      return true
    },
    async lowerAll(windows) {
      await run(windows, lowerCommands)
    },
    async remove(windows) {
      await run(windows, removeCommands)
    },
  }
}
