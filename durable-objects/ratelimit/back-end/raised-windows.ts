/** The windows of blocks in a store that others share: raised above every limit ahead of time, renewed, and lowered. */

import type { Logger } from '#base/logger.ts'
import {
  distinctWindows,
  raisedWindows,
  renewalDue,
  type StoredCount,
  type StoreWindow,
} from '#ratelimit/store-block.ts'
import type { Unit } from '#ratelimit/types.ts'
import { units } from '#ratelimit/window.ts'
import type { StoreBlock, StoreBlockTable } from '../storage/store-blocks.ts'

/** Circumstances in which windows are raised or lowered. */
export interface BlockStep {
  /** Unix time in whole seconds. */
  readonly now: number
  /** True to take a window without a mark for raised: a memcached counter in constant use is raised without one. */
  readonly takesUnmarked: boolean
}

/** Windows of a store. Every call throws when any window could not be reached. */
export interface StoreCounters {
  /** Hits that a block adds to a counter here. */
  readonly raise: number
  /** Reads every window, in order; a missing one is 0. */
  read(windows: readonly StoreWindow[]): Promise<readonly StoredCount[]>
  /** Raises and marks the windows that have not been raised; tells whether every one of them has its mark. */
  raiseAll(windows: readonly StoreWindow[], step: BlockStep): Promise<boolean>
  /** Takes back from the windows what their marks say. */
  lowerAll(windows: readonly StoreWindow[], step: BlockStep): Promise<void>
  remove(windows: readonly StoreWindow[]): Promise<void>
}

/** Shortest and longest wait before what could not be raised or lowered is tried again, in seconds. */
export const retry = { least: 5, most: 3_600 }

/** The blocks of a store, and the store. */
export interface BlockWorld {
  readonly table: StoreBlockTable
  readonly store: StoreCounters
  readonly logger: Logger
  /** Unix time in whole seconds. */
  readonly now: () => number
}

/** Lowers every counter that a block can have raised; until that has been done the alarm tries again. */
export async function liftBlock(world: BlockWorld, { key, until, isMarked }: StoreBlock): Promise<void> {
  const { table, store } = world
  const now = world.now()
  table.keep({ key, units, until: Math.min(until, now), due: now + retry.least, isMarked })
  // Unit by unit, because a block of one unit reaches farther ahead.
  const windows = units.flatMap((unit) => raisedWindows(key, [unit], now, Number.POSITIVE_INFINITY))
  await store.lowerAll(distinctWindows(windows), { now, takesUnmarked: !isMarked })
  table.remove(key)
}

/**
 * Raises the windows of a block, and lowers those that an earlier form of it may have raised.
 *
 * @param reached - the units of that earlier form; none for a block that is renewed.
 */
export async function raiseBlock(world: BlockWorld, block: StoreBlock, reached: readonly Unit[]): Promise<void> {
  const { table, store } = world
  const { key, units: blocked, until } = block
  const now = world.now()
  const step = { now, takesUnmarked: !block.isMarked }
  const windows = raisedWindows(key, blocked, now, until)
  const kept = new Set(windows.map((window) => window.key))
  const old = reached.length === 0 ? [] : raisedWindows(key, reached, now, Number.POSITIVE_INFINITY)
  const due = renewalDue(blocked, now, until)
  // Should this be cut short, the next attempt takes what looks raised for raised, so that nothing is raised twice.
  table.keep({ ...block, due, isMarked: false })
  const isMarked = await store.raiseAll(windows, step)
  await store.lowerAll(
    old.filter((window) => !kept.has(window.key)),
    step,
  )
  table.keep({ ...block, due, isMarked })
}

/** Raises a block that is due again, or lifts it when it is over; after a failure it is due again later. */
export async function renewBlock(world: BlockWorld, due: StoreBlock): Promise<void> {
  const { table, logger } = world
  const now = world.now()
  const isOver = due.until <= now
  try {
    await (isOver ? liftBlock(world, due) : raiseBlock(world, due, []))
  } catch (error) {
    const waited = Math.max(retry.least, Math.min(retry.most, now - due.until))
    // What was raised before the failure may have no mark.
    table.keep({ ...due, due: now + waited, isMarked: due.isMarked && isOver })
    logger.error(`Cannot ${isOver ? 'lift' : 'renew'} the block of "${due.key}"`, error)
  }
}
