/** The counters of a store that others share, as an operator handles them: read, reset, and blocked until a moment. */

import type { Logger } from '#base/logger.ts'
import { createMutex } from '#base/mutex.ts'
import type { KeyReading } from '#ratelimit/contract/counters.ts'
import {
  distinctWindows,
  hitsBesideBlock,
  openWindows,
  raisedWindows,
  renewalDue,
  type StoredCount,
  type StoreWindow,
} from '#ratelimit/store-block.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'
import { type StoreBlock, storeBlockTable } from './storage/store-blocks.ts'
import { answerStore } from './store-answer.ts'

/** The pool's object that keeps the blocks of a deployment, and counts no hits. */
export const keeperName = 'blocks'

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

interface OperatorWorld {
  readonly storage: DurableObjectStorage
  readonly store: StoreCounters
  readonly logger: Logger
  /** Unix time in whole seconds. */
  readonly now: () => number
}

/** Shortest and longest wait before what could not be raised or lowered is tried again, in seconds. */
const retry = { least: 5, most: 3_600 }

/**
 * Keeps the blocks of one store.
 *
 * Instances that share the store know nothing of a block: they see counters above every limit. So the windows of a
 * block are raised ahead of time, renewed by the object's alarm, and lowered at its end, which leaves the hits.
 */
export function operatorCounters({ storage, store, logger, now: clock }: OperatorWorld) {
  const table = storeBlockTable(storage)
  const mutex = createMutex()

  async function read(key: string, unit: Unit | null): Promise<KeyReading> {
    const now = clock()
    const windows = openWindows(key, units, now, unit)
    const stored = await store.read(windows)
    const until = blockedUntil(key) ?? 0
    // What another deployment has raised without a mark is shown as it is.
    const unmarkedRaise = table.find(key)?.isMarked === false ? store.raise : 0
    const counters = windows.flatMap(({ unit, start }, at) => {
      const hits = hitsBesideBlock(stored[at] ?? { count: 0, raisedBy: null }, unmarkedRaise)
      if (hits === 0) return []
      return [{ unit, hits, windowStart: start, secondsUntilReset: start + unitSeconds[unit] - now }]
    })
    return { counters, blockedUntil: until > now ? until : null }
  }

  function blockedUntil(key: string): number | null {
    return table.find(key)?.until ?? null
  }

  /** Lowers every counter that a block can have raised; until that has been done the alarm tries again. */
  async function lift({ key, until, isMarked }: StoreBlock): Promise<void> {
    const now = clock()
    table.keep({ key, units, until: Math.min(until, now), due: now + retry.least, isMarked })
    // Unit by unit, because a block of one unit reaches farther ahead.
    const windows = units.flatMap((unit) => raisedWindows(key, [unit], now, Number.POSITIVE_INFINITY))
    await store.lowerAll(distinctWindows(windows), { now, takesUnmarked: !isMarked })
    table.remove(key)
  }

  /** Raises the windows of a block, and lowers those that an earlier form of it may have raised. */
  async function raise(block: StoreBlock, reached: readonly Unit[], takesUnmarked: boolean): Promise<void> {
    const { key, units: blocked, until } = block
    const now = clock()
    const step = { now, takesUnmarked }
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

  async function block(key: string, blocked: readonly Unit[], until: number): Promise<KeyReading> {
    const before = table.find(key)
    const isMarked = before?.isMarked ?? true
    const next = { key, units: blocked, until, due: until, isMarked }
    if (until <= clock()) await lift(next)
    else {
      const raising = raise(next, before?.units ?? [], !isMarked)
      await raising.catch((error: unknown) => giveUp(next, before, error))
    }
    const [unit = null] = blocked.length === 1 ? blocked : []
    return read(key, unit)
  }

  /** A block that could not be raised is refused whole: what was there stays, what was raised is lowered. */
  async function giveUp(next: StoreBlock, before: StoreBlock | undefined, error: unknown): Promise<never> {
    table.keep({ ...(before ?? { ...next, until: clock() }), due: clock() + retry.least })
    throw error
  }

  async function renewOne(due: StoreBlock): Promise<void> {
    const now = clock()
    try {
      if (due.until <= now) await lift(due)
      else await raise(due, [], !due.isMarked)
    } catch (error) {
      const waited = Math.max(retry.least, Math.min(retry.most, now - due.until))
      table.keep({ ...due, due: now + waited })
      logger.error(`Cannot ${due.until <= now ? 'lift' : 'renew'} the block of "${due.key}"`, error)
    }
  }

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
    read: (key: string, unit: Unit | null) => answerStore(read(key, unit)),
    /** Raises the windows of a key above every limit until a moment; one that has passed lifts the block. */
    block: (key: string, blocked: readonly Unit[], until: number) =>
      answerStore(inTurn(() => block(key, blocked, until))),
    /** Forgets the open windows of a key and lifts its block. @returns what was there. */
    reset: (key: string, unit: Unit | null) =>
      answerStore(
        inTurn(async () => {
          const before = await read(key, unit)
          await lift({ key, units, until: 0, due: 0, isMarked: table.find(key)?.isMarked ?? true })
          await store.remove(openWindows(key, units, clock()))
          return before
        }),
      ),
    /**
     * Until when a key is blocked, Unix time in seconds: a moment that has passed while its counters are still raised;
     * null when it is not blocked, or when another program blocked it.
     */
    blockedUntil,
    /** Raises and lowers what is due; to be called by the object's alarm. */
    renew: () =>
      inTurn(async () => {
        await Promise.all(table.dueAt(clock()).map(renewOne))
      }),
  }
}
