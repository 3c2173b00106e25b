/** Commands for counters of several units, each in the store of its unit. */

import type { HitCommands } from '#ratelimit/redis/commands.ts'
import type { Reply } from '#ratelimit/redis/resp.ts'
import type { Unit } from '#ratelimit/types.ts'
import type { RedisStore } from './store.ts'

/** Finds the store of a unit. */
export type StoreOf = (unit: Unit) => Pick<RedisStore, 'run'>

/** Runs one command for every item, in one pipeline for each store; replies in the order of the items. */
export async function runByStore<Item extends { readonly unit: Unit }>(
  items: readonly Item[],
  storeOf: StoreOf,
  commandsOf: (item: Item) => HitCommands,
): Promise<readonly (Reply | undefined)[]> {
  const replies: (Reply | undefined)[] = new Array(items.length)
  const runs = [...new Set(items.map(({ unit }) => storeOf(unit)))].map(async (store) => {
    const own = [...items.entries()].filter(([, { unit }]) => storeOf(unit) === store)
    const answers = await store.run(own.map(([, item]) => commandsOf(item)))
    for (const [index, [at]] of own.entries()) replies[at] = answers[index]?.[0]
  })
  await Promise.all(runs)
  return replies
}
