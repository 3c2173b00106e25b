/** The counters of a store that others share, as an operator handles them: read, reset, and blocked until a moment. */

import type { Logger } from '#base/logger.ts'
import { createMutex } from '#base/mutex.ts'
import type { KeyReading } from '#ratelimit/contract/counters.ts'
import { hitsBesideBlock, openWindows } from '#ratelimit/store-block.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'
import {
  type BlockWorld,
  liftBlock,
  raiseBlock,
  renewBlock,
  retry,
  type StoreCounters,
} from './back-end/raised-windows.ts'
import { type StoreBlock, storeBlockTable } from './storage/store-blocks.ts'
import { answerStore } from './store-answer.ts'

/** The pool's object that keeps the blocks of a deployment, and counts no hits. */
export const keeperName = 'blocks'

interface OperatorWorld {
  readonly storage: DurableObjectStorage
  readonly store: StoreCounters
  readonly logger: Logger
  /** Unix time in whole seconds. */
  readonly now: () => number
}

/**
 * Keeps the blocks of one store.
 *
 * Instances that share the store know nothing of a block: they see counters above every limit. So the windows of a
 * block are raised ahead of time, renewed by the object's alarm, and lowered at its end, which leaves the hits.
 */
export function operatorCounters({ storage, store, logger, now: clock }: OperatorWorld) {
  const table = storeBlockTable(storage)
  const world: BlockWorld = { table, store, logger, now: clock }
  const mutex = createMutex()

  async function schedule(): Promise<void> {
    const due = table.nextDue()
    if (due !== undefined) await storage.setAlarm(due * 1000)
  }

  /** Runs after every other operation, so that an alarm cannot raise what an operator lowers. */
  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    return mutex.run(() => task().finally(schedule))
  }

  return {
    /** Reads the counters of a key without what a block has added. */
    read: (key: string, unit: Unit | null) => answerStore(readKey(world, key, unit)),
    /** Raises the windows of a key above every limit until a moment; one that has passed lifts the block. */
    block: (key: string, blocked: readonly Unit[], until: number) =>
      answerStore(inTurn(() => blockKey(world, { key, units: blocked, until }))),
    /** Forgets the open windows of a key and lifts its block. @returns what was there. */
    reset: (key: string, unit: Unit | null) =>
      answerStore(
        inTurn(async () => {
          const before = await readKey(world, key, unit)
          await liftBlock(world, { key, units, until: 0, due: 0, isMarked: table.find(key)?.isMarked ?? true })
          await store.remove(openWindows(key, units, clock()))
          return before
        }),
      ),
    /**
     * Until when a key is blocked, Unix time in seconds: a moment that has passed while its counters are still raised;
     * null when it is not blocked, or when another program blocked it.
     */
    blockedUntil: (key: string): number | null => table.find(key)?.until ?? null,
    /** Raises and lowers what is due; to be called by the object's alarm. */
    renew: () =>
      inTurn(async () => {
        await Promise.all(table.dueAt(clock()).map((due) => renewBlock(world, due)))
      }),
  }
}

async function readKey({ table, store, now: clock }: BlockWorld, key: string, unit: Unit | null): Promise<KeyReading> {
  const now = clock()
  const windows = openWindows(key, units, now, unit)
  const stored = await store.read(windows)
  const block = table.find(key)
  // What another deployment has raised without a mark is shown as it is.
  const unmarkedRaise = block?.isMarked === false ? store.raise : 0
  const counters = windows.flatMap(({ unit, start }, at) => {
    const hits = hitsBesideBlock(stored[at] ?? { count: 0, raisedBy: null }, unmarkedRaise)
    if (hits === 0) return []
    return [{ unit, hits, windowStart: start, secondsUntilReset: start + unitSeconds[unit] - now }]
  })
  return { counters, blockedUntil: block !== undefined && block.until > now ? block.until : null }
}

type AskedBlock = Pick<StoreBlock, 'key' | 'units' | 'until'>

/** Blocks a key, or lifts its block when the moment has passed. */
async function blockKey(world: BlockWorld, { key, units: blocked, until }: AskedBlock): Promise<KeyReading> {
  const { table, now: clock } = world
  const before = table.find(key)
  const next = { key, units: blocked, until, due: until, isMarked: before?.isMarked ?? true }
  if (until <= clock()) await liftBlock(world, next)
  else {
    try {
      await raiseBlock(world, next, before?.units ?? [])
    } catch (error) {
      // The block is refused whole: what was there stays, what was raised is lowered, and may have no mark.
      table.keep({ ...(before ?? { ...next, until: clock() }), due: clock() + retry.least, isMarked: false })
      throw error
    }
  }
  const [unit = null] = blocked.length === 1 ? blocked : []
  return readKey(world, key, unit)
}
