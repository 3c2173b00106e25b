/** The counters of a shared Redis as an operator handles them, in one pipeline for each store. */

import {
  lowerCommands,
  raiseCommands,
  readCommands,
  readStored,
  removeCommands,
} from '#ratelimit/redis/block-commands.ts'
import type { HitCommands } from '#ratelimit/redis/commands.ts'
import { redisRaise, type StoreWindow } from '#ratelimit/store-block.ts'
import type { StoreCounters } from '../back-end/raised-windows.ts'
import { runByStore, type StoreOf } from './by-store.ts'

/** Makes the operations of a deployment. */
export function redisCounters(storeOf: StoreOf, jitter: () => number): StoreCounters {
  const run = (windows: readonly StoreWindow[], commandsOf: (window: StoreWindow) => HitCommands) =>
    runByStore(windows, storeOf, commandsOf)

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
