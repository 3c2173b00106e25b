/** CounterObject: counts hits in fixed windows; the object's clock is the only clock. */

import { DurableObject } from 'cloudflare:workers'
import { readAlgorithmKey } from '#ratelimit/algorithm/algorithm-key.ts'
import { type AppliedHit, applyAll, applyHit, type CounterWindows } from '#ratelimit/algorithm/apply-hit.ts'
import { leasedWindows } from '#ratelimit/algorithm/count-hit.ts'
import type { KeyReading } from '#ratelimit/contract/counters.ts'
import { maxHits } from '#ratelimit/counter.ts'
import type { Durability } from '#ratelimit/durability/stored-window.ts'
import { type Drawing, drawFrom } from '#ratelimit/lease/draw.ts'
import { type Draw, encodeDraws, type WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import type { CounterHit } from '#ratelimit/ports.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { unsettledName } from '#ratelimit/statistics/names.ts'
import { units } from '#ratelimit/window.ts'
import { nowSeconds } from '../base/now.ts'
import { applyBlockedHit, keyBlocks } from './counter/blocks.ts'
import { cleanupAlarm } from './counter/cleanup-alarm.ts'
import { durableWindows } from './counter/durable-windows.ts'
import { isolateNumber, keptWindows } from './counter/kept-windows.ts'
import { createReadings } from './counter/readings.ts'
import {
  isReserved,
  mustLast,
  nameOf,
  readWireHit,
  unitAt,
  type WiredHit,
  type WireHit,
  writeCounted,
} from './counter/wire.ts'
import type { RatelimitEnv } from './env.ts'
import { pendingCounts } from './pending-counts.ts'
import { type CounterTables, counterTables } from './storage/counters.ts'
import { openReceipts } from './storage/receipts.ts'

/** Rows that are removed before other calls have their turn. */
const cleanupBatch = 500
/** Milliseconds between two batches. */
const cleanupPauseMs = 1

/**
 * Counts the hits of one key, or of one shard of all keys.
 *
 * Counters that last two seconds at most live in memory. Of longer ones the disk holds at least the count before the
 * answer leaves: a ceiling that is written ahead of the hits, so that most hits need no write and a crash forgets none
 * of them. With `COUNTER_DURABILITY=strict` it is the count itself; with `relaxed` the answer leaves first and at most
 * the last second of hits is lost when the process dies. When every window is over, two alarms leave the object as
 * empty as before its first hit.
 */
export class CounterObject extends DurableObject<RatelimitEnv> {
  readonly #receipts = openReceipts(this.ctx.storage)
  readonly #tables: CounterTables = counterTables(this.ctx.storage, this.#receipts, isolateNumber())
  readonly #windows = durableWindows({
    tables: this.#tables,
    durability: parseDurability(this.env),
    kept: keptWindows(this.ctx.id.toString()),
    onWrite: (rows) => this.#alarm.cleanUpAfterRows(rows),
    sync: () => this.ctx.storage.sync(),
  })
  readonly #blocks = keyBlocks(this.#tables)
  readonly #leases = createLeaseBook()
  readonly #readings = createReadings(this.#windows, this.#blocks.ends, this.#leases)
  #counts: ReturnType<typeof pendingCounts> | undefined
  readonly #alarm = cleanupAlarm(this.ctx.storage, this.#tables.nextExpiry())

  /**
   * Applies the hits of one call, in order; all of them count, also when another one is refused.
   *
   * @param id - names the call: the same id again is answered from its receipt and counts nothing, so that a caller
   *   that does not know whether its call arrived may send it once more.
   * @returns for every hit in turn: the counter after it, and the seconds until its window ends.
   */
  async hit(id: number, hits: readonly WireHit[]): Promise<readonly number[]> {
    const answer = this.#receipts.find(id) ?? this.#count(id, hits, Date.now())
    await this.#lasting(hits)
    return answer
  }

  /**
   * Applies one hit as `hit` does, for the calls that have no more.
   *
   * Nothing but plain values cross, because the platform follows every object that does and lets go of it later: a
   * tenth of what the whole call costs (`bench/decision.bench.ts`).
   *
   * @returns the counter after the hit and the seconds until its window ends, one space between.
   */
  hitOne(id: number, ...hit: WireHit): string | Promise<string> {
    const [after, reset] = this.#receipts.find(id) ?? this.#count(id, [hit], Date.now())
    const answer = `${after} ${reset}`
    return (mustLast(hit) ? this.#lasting([hit])?.then(() => answer) : undefined) ?? answer
  }

  /** Finds what the answer to hits waits for: a reservation must outlive a crash, with every COUNTER_DURABILITY. */
  #lasting(hits: readonly WireHit[]): Promise<void> | undefined {
    const names = hits.filter(mustLast).map(([key, unitIndex]) => nameOf(key, unitIndex))
    if (names.length === 0) return undefined
    return hits.some(isReserved) ? this.#windows.stored(names) : this.#windows.covered(names)
  }

  /**
   * Counts hits and grants leases of more of them, for every question in turn; see `drawFrom`.
   *
   * What is granted is on disk before the answer leaves, with every COUNTER_DURABILITY: a lease that a restart forgot
   * would be admitted twice.
   *
   * @param id - names the call as in `hit`, and every lease that it opens.
   * @param holder - number of the isolate or object that asks.
   * @returns the answers as `encodeDraws` writes them.
   */
  async lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<readonly number[]> {
    const answer = this.#receipts.find(id) ?? this.#draw(draws, { id, holder, nowMs: Date.now() })
    await this.#windows.stored(draws.map(([key, unitIndex]) => nameOf(key, unitIndex)))
    return answer
  }

  /** Reads the counters and the block of one key; changes no counter. */
  async read(key: string, looks: readonly CounterHit[] = []): Promise<KeyReading> {
    return this.#readings.readKey(key, looks)
  }

  /** Forgets the counters and the block of one key, open leases aside: they may still be admitted. @returns what was there. */
  async reset(key: string, looks: readonly CounterHit[] = []): Promise<KeyReading> {
    const before = this.#readings.readKey(key, looks)
    const nowMs = Date.now()
    const places = [...units.map((unit) => ({ key, unit })), ...looks]
    const leased = places.map((place) => this.#readings.findLeasedRow(place, nowMs)).filter((row) => row !== undefined)
    const names = places.map((place) => nameOf(place.key, units.indexOf(place.unit)))
    for (const name of names) this.#windows.forget(name)
    for (const forgotten of new Set(places.map((place) => place.key))) this.#tables.forget(forgotten)
    this.#blocks.lift(key)
    for (const row of leased) this.#windows.keep(nameOf(row.key, units.indexOf(row.unit)), row, { limit: null, nowMs })
    await this.#windows.stored(names)
    return before
  }

  /** Refuses every hit of a key until a moment in Unix seconds, with every limit; the hits still count. */
  async block(key: string, until: number): Promise<KeyReading> {
    if (until > nowSeconds()) {
      this.#blocks.set(key, until)
      this.#alarm.cleanUpAfter({ at: until, unit: null })
    } else this.#blocks.lift(key)
    return this.#readings.readKey(key, [])
  }

  /** Removes what is over; with nothing left, all of the object's storage. */
  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    const now = nowSeconds()
    this.#windows.forgetExpired(now)
    for (;;) {
      const { windows, blocks, unsettled } = this.#tables.expire(now, cleanupBatch, info?.scheduledTime)
      if (unsettled > 0) this.#unsettled(unsettled)
      for (const key of blocks) this.#blocks.ends.delete(key)
      if (windows < cleanupBatch) break
      await scheduler.wait(cleanupPauseMs)
    }
    const next = this.#tables.nextExpiry()
    this.#alarm.restart(next)
    if (next !== undefined || !this.#windows.isSaved()) return
    this.#receipts.clear()
    await this.#tables.empty()
  }

  #count(id: number, hits: readonly WireHit[], nowMs: number): readonly number[] {
    const apply = (windows: CounterWindows, hit: WiredHit) => this.#apply(windows, hit, nowMs)
    const applied = hits.map(readWireHit)
    const counted = applyAll(applied, this.#windows, apply)
    for (const { ended } of counted) if (ended !== undefined) this.#unsettled(ended)
    const answer = counted.flatMap(writeCounted)
    this.#finish(id, answer, Math.floor(nowMs / 1000))
    return answer
  }

  #draw(wires: readonly WireDraw[], drawing: Drawing): readonly number[] {
    const answer = encodeDraws(wires.map((wire) => this.#drawOne(wire, drawing)))
    this.#finish(drawing.id, answer, Math.floor(drawing.nowMs / 1000))
    return answer
  }

  #drawOne(wire: WireDraw, drawing: Drawing): Draw {
    const [key, unitIndex, , limit] = wire
    const now = Math.floor(drawing.nowMs / 1000)
    const unit = unitAt(unitIndex)
    const name = nameOf(key, unitIndex)
    const known = this.#windows.find(name, { key, unit }, now)
    const isBlocked = this.#blocks.secondsLeft(key, now) > 0
    const leased = leasedWindows(readAlgorithmKey(key)?.algorithm) ?? unit
    const { window, draw } = drawFrom(this.#leases, { name, unit: leased, window: known, isBlocked }, wire, drawing)
    // Looking makes no counter.
    if (window.hits > 0 || known !== undefined) {
      this.#windows.keep(name, { key, unit, window }, { limit, nowMs: drawing.nowMs })
    }
    return isBlocked ? { ...draw, after: maxHits } : draw
  }

  #finish(id: number, answer: readonly number[], now: number): void {
    this.#receipts.keep({ id, answer })
    this.#alarm.noteCall(now)
  }

  #apply(windows: CounterWindows, hit: WiredHit, nowMs: number): AppliedHit {
    if (this.#blocks.ends.size === 0 || hit.step?.action === 'settle') return applyHit(windows, hit, nowMs)
    const blockedFor = this.#blocks.secondsLeft(hit.key, Math.floor(nowMs / 1000))
    return blockedFor > 0 ? applyBlockedHit(windows, hit, blockedFor, nowMs) : applyHit(windows, hit, nowMs)
  }

  /** Counts reservations that have ended; the statistics are made with the first of them, because few objects have any. */
  #unsettled(ended: number): void {
    this.#counts ??= pendingCounts(this.env, readSettings({ ...this.env }), this.ctx)
    this.#counts.add(unsettledName, ended)
  }
}

function parseDurability({ COUNTER_DURABILITY: text = '' }: RatelimitEnv): Durability {
  const known = text.toLowerCase()
  return known === 'relaxed' || known === 'strict' ? known : 'durable'
}
