/** The counters of a store that others share, as an operator handles them: read, reset, and blocked until a moment. */

import type { Logger } from '../src/ratelimit/logger.ts'
import {
  openWindows,
  raisedWindows,
  renewalDue,
  type StoreWindow,
  withoutRaise,
} from '../src/ratelimit/store-block.ts'
import type { Unit } from '../src/ratelimit/types.ts'
import { unitSeconds, units } from '../src/ratelimit/window.ts'
import type { KeyReading } from './counter.ts'
import { type StoreBlock, storeBlockTable } from './storage/store-blocks.ts'
import { createTurns } from './turns.ts'

/** The pool's object that keeps the blocks of a deployment, and counts no hits. */
export const keeperName = 'blocks'

/** What a store does to windows. Every call throws when any window could not be reached. */
export interface StoreCounters {
  /** What a block adds to a counter here. */
  readonly raise: number
  /** Reads every window, in order; a missing one is 0. */
  read(windows: readonly StoreWindow[]): Promise<readonly number[]>
  /** Adds `raise` to the windows that have not been raised; each lives to its end. */
  raiseAll(windows: readonly StoreWindow[], now: number): Promise<void>
  /** Takes `raise` back from the windows that have been raised. */
  lowerAll(windows: readonly StoreWindow[], now: number): Promise<void>
  remove(windows: readonly StoreWindow[]): Promise<void>
}

/** This object's clock. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** What became of an operation; an error thrown across the call would lose the store's own words. */
export type KeyAnswer =
  | { readonly ok: true; readonly reading: KeyReading }
  | { readonly ok: false; readonly message: string }

/** The operations of one object that keeps the blocks of a deployment. */
export interface OperatedCounters {
  /** Reads the counters of a key without what a block has added. */
  read(key: string): Promise<KeyAnswer>
  /** Forgets the open windows of a key and lifts its block. @returns what was there. */
  reset(key: string): Promise<KeyAnswer>
  /**
   * Raises the windows of a key above every limit until a moment; hits still count.
   *
   * @param blocked - the units whose windows are raised.
   * @param until - Unix time in seconds; a moment that has passed lifts the block.
   */
  block(key: string, blocked: readonly Unit[], until: number): Promise<KeyAnswer>
  /** Until when a key is blocked, Unix time in seconds; null when it is not, or by somebody else. */
  blockedUntil(key: string): number | null
  /** Raises and lowers what is due; to be called by the object's alarm. */
  renew(): Promise<void>
}

/** What an object gives to the counters it keeps. */
export interface OperatedWorld {
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
export function operatedCounters({ storage, store, logger, now: clock }: OperatedWorld): OperatedCounters {
  const table = storeBlockTable(storage)
  const turns = createTurns()

  async function read(key: string): Promise<KeyReading> {
    const now = clock()
    const windows = openWindows(key, units, now)
    const counts = await store.read(windows)
    const until = blockedUntil(key)
    const counters = windows.flatMap(({ unit, start }, at) => {
      const count = counts[at] ?? 0
      // A counter that somebody else has raised is shown as it is.
      const hits = until === null ? count : withoutRaise(count, store.raise)
      if (hits === 0) return []
      return [{ unit, hits, windowStart: start, secondsUntilReset: start + unitSeconds[unit] - now }]
    })
    return { counters, blockedUntil: until }
  }

  function blockedUntil(key: string): number | null {
    const until = table.find(key)?.until ?? 0
    return until > clock() ? until : null
  }

  /** Lowers whatever a block can have raised; until that has been done the alarm tries again. */
  async function lift({ key, until }: StoreBlock): Promise<void> {
    const now = clock()
    table.keep({ key, units, until: Math.min(until, now), due: now + retry.least })
    // Unit by unit, because a block of one unit reaches farther ahead.
    const windows = units.flatMap((unit) => raisedWindows(key, [unit], now, Number.POSITIVE_INFINITY))
    await store.lowerAll(windows, now)
    table.remove(key)
  }

  /** Raises the windows of a block, and lowers those that it no longer reaches. */
  async function raise(block: StoreBlock, before: StoreBlock | undefined): Promise<void> {
    const { key, units: blocked, until } = block
    const now = clock()
    const windows = raisedWindows(key, blocked, now, until)
    const kept = new Set(windows.map((window) => window.key))
    const old = before === undefined ? [] : raisedWindows(key, before.units, now, Number.POSITIVE_INFINITY)
    table.keep({ ...block, due: renewalDue(blocked, now, until) })
    await store.raiseAll(windows, now)
    await store.lowerAll(
      old.filter((window) => !kept.has(window.key)),
      now,
    )
  }

  async function block(key: string, blocked: readonly Unit[], until: number): Promise<KeyReading> {
    const before = table.find(key)
    const next = { key, units: blocked, until, due: until }
    if (until <= clock()) await lift(next)
    else await raise(next, before).catch((error: unknown) => giveUp(next, before, error))
    return read(key)
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
      else await raise(due, undefined)
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

  /** Runs alone, so that an alarm cannot raise what an operator lowers. */
  function alone<T>(task: () => Promise<T>): Promise<T> {
    return turns.take(() => task().finally(schedule))
  }

  return {
    read: (key) => answered(read(key)),
    block: (key, blocked, until) => answered(alone(() => block(key, blocked, until))),
    reset: (key) =>
      answered(
        alone(async () => {
          const before = await read(key)
          await lift({ key, units, until: 0, due: 0 })
          await store.remove(openWindows(key, units, clock()))
          return before
        }),
      ),
    blockedUntil,
    renew: () =>
      alone(async () => {
        await Promise.all(table.dueAt(clock()).map(renewOne))
      }),
  }
}

async function answered(reading: Promise<KeyReading>): Promise<KeyAnswer> {
  try {
    return { ok: true, reading: await reading }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
}
