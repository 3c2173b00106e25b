/** CounterObject: counts hits in fixed windows; the object's clock is the only clock. */

import { DurableObject } from 'cloudflare:workers'
import { addHits, maxHits, peekHits, refundHits, type Window } from '../../src/ratelimit/counter.ts'
import { type Drawing, drawFrom } from '../../src/ratelimit/quota/draw.ts'
import { createLeaseBook, type Draw, encodeDraws, type WireDraw } from '../../src/ratelimit/quota/lease.ts'
import type { Unit } from '../../src/ratelimit/types.ts'
import { unitSeconds, units } from '../../src/ratelimit/window.ts'
import { cleanupTime, isBadlyTimed } from './counter/cleanup.ts'
import { residentWindows } from './counter/resident.ts'
import type { RatelimitEnv } from './env.ts'
import {
  type CounterName,
  type CounterRow,
  type CounterTables,
  counterTables,
  type Expiry,
} from './storage/counters.ts'
import { groupCommit } from './storage/group-commit.ts'
import { openReceipts } from './storage/receipts.ts'

/**
 * One hit as it travels: the counter's key, the index of its unit in `units`, and the hits to add, negative to give
 * back, 0 to look.
 *
 * Callers and objects of different releases talk to each other while a deployment rolls out, so the shape never
 * changes under the name of a method: another shape gets another method.
 */
export type WireHit = readonly [key: string, unit: number, addend: number]

/** One counter as an operator sees it. */
export interface CounterReading {
  readonly unit: Unit
  /** Counted hits, with those of open leases. */
  readonly hits: number
  /** Hits of open leases, which may still be admitted or come back; absent when there are none. */
  readonly outstanding?: number
  /** Unix time in seconds when its window began. */
  readonly windowStart: number
  readonly secondsUntilReset: number
}

/** Everything an object knows about one key. */
export interface KeyReading {
  readonly counters: readonly CounterReading[]
  /** Unix time in seconds until which every hit of the key is refused; null when it is not blocked. */
  readonly blockedUntil: number | null
}

/** Rows that are removed before other calls have their turn. */
const cleanupBatch = 500
/** Milliseconds between two batches. */
const cleanupPauseMs = 1
/** Milliseconds that a commit waits for more hits while they come in crowds. */
const gatherMs = 1
/** Milliseconds between an answer and its write in relaxed mode; what a crash can lose. */
const relaxedFlushMs = 1_000

/**
 * Counts the hits of one key, or of one shard of all keys.
 *
 * Second-long windows live in memory. Longer ones are on disk before the answer leaves, hits that overlap sharing
 * one commit; with `COUNTER_DURABILITY=relaxed` the answer leaves first and at most the last second of hits is lost
 * when the process dies. When every window is over, an alarm leaves the object as empty as before its first hit.
 */
export class CounterObject extends DurableObject<RatelimitEnv> {
  readonly #tables: CounterTables = counterTables(this.ctx.storage)
  readonly #dirty = new Map<string, CounterRow>()
  readonly #windows = residentWindows((name) => this.#dirty.has(name))
  readonly #blocks = new Map(this.#tables.blocks())
  readonly #receipts = openReceipts(this.ctx.storage)
  readonly #leases = createLeaseBook()
  readonly #isRelaxed = this.env.COUNTER_DURABILITY?.toLowerCase() === 'relaxed'
  readonly #commit = groupCommit({
    write: () => this.#write(),
    sync: () => this.ctx.storage.sync(),
    gather: () => scheduler.wait(gatherMs),
  })
  /** What on disk is over first. */
  #nextExpiry = this.#tables.nextExpiry()
  /** The alarm that this instance has set, and what for; its moment is Unix time in seconds. */
  #alarm: { readonly for: Expiry; readonly at: number } | undefined
  #flush: ReturnType<typeof setTimeout> | undefined

  /**
   * Applies the hits of one call, in order; all of them count, whatever the others came to.
   *
   * @param id - names the call: the same id again is answered from its receipt and counts nothing, so that a caller
   *   that does not know whether its call arrived may send it once more.
   * @returns for every hit in turn: the counter after it, and the seconds until its window ends.
   */
  async hit(id: number, hits: readonly WireHit[]): Promise<readonly number[]> {
    const answer = this.#receipts.find(id) ?? this.#count(id, hits, Date.now())
    if (this.#dirty.size === 0 || !hits.some(mustLast)) return answer
    if (this.#isRelaxed) this.#writeSoon()
    else await this.#commit()
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
  hitOne(id: number, key: string, unitIndex: number, addend: number): string | Promise<string> {
    const hit: WireHit = [key, unitIndex, addend]
    const [after, reset] = this.#receipts.find(id) ?? this.#count(id, [hit], Date.now())
    const answer = `${after} ${reset}`
    if (this.#dirty.size === 0 || !mustLast(hit)) return answer
    if (!this.#isRelaxed) return this.#commit().then(() => answer)
    this.#writeSoon()
    return answer
  }

  /**
   * Counts hits and grants leases of more of them, for every question in turn; see `drawFrom`.
   *
   * What is granted is on disk before the answer leaves, whatever COUNTER_DURABILITY is: a lease that a restart forgot
   * would be admitted twice.
   *
   * @param id - names the call as in `hit`, and every lease that it opens.
   * @param holder - number of the isolate or object that asks.
   * @returns the answers as `encodeDraws` writes them.
   */
  async lease(id: number, holder: number, draws: readonly WireDraw[]): Promise<readonly number[]> {
    const answer = this.#receipts.find(id) ?? this.#draw(draws, { id, holder, nowMs: Date.now() })
    if (this.#dirty.size > 0) await this.#commit()
    return answer
  }

  /** Reads the counters and the block of one key; changes nothing. */
  async read(key: string): Promise<KeyReading> {
    const now = nowSeconds()
    const counters = units.flatMap((unit) => this.#read(key, unit, now))
    const until = this.#blocks.get(key) ?? 0
    return { counters, blockedUntil: until > now ? until : null }
  }

  /** Forgets the counters and the block of one key, open leases aside: they may still be admitted. @returns what was there. */
  async reset(key: string): Promise<KeyReading> {
    const before = await this.read(key)
    for (const unit of units) {
      this.#windows.forget(nameOf(key, units.indexOf(unit)))
      this.#dirty.delete(nameOf(key, units.indexOf(unit)))
    }
    this.#blocks.delete(key)
    this.#tables.forget(key)
    this.#tables.unblock(key)
    for (const { unit, windowStart: start, outstanding = 0 } of before.counters) {
      const row = { key, unit, window: { start, hits: outstanding } }
      if (outstanding > 0) this.#keep(nameOf(key, units.indexOf(unit)), row, nowSeconds())
    }
    if (this.#dirty.size > 0) await this.#commit()
    return before
  }

  /**
   * Refuses every hit of a key until a moment, whatever its limit; the hits still count.
   *
   * @param until - Unix time in seconds; a moment that has passed lifts the block.
   */
  async block(key: string, until: number): Promise<KeyReading> {
    if (until > nowSeconds()) {
      this.#blocks.set(key, until)
      this.#tables.block(key, until)
      this.#cleanUpAfter({ at: until, unit: null })
    } else {
      this.#blocks.delete(key)
      this.#tables.unblock(key)
    }
    return this.read(key)
  }

  /** Removes what is over; with nothing left, all of the object's storage. */
  override async alarm(): Promise<void> {
    const now = nowSeconds()
    this.#forgetExpired(now)
    while (this.#tables.expire(now, cleanupBatch) === cleanupBatch) await scheduler.wait(cleanupPauseMs)
    this.#alarm = undefined
    this.#nextExpiry = this.#tables.nextExpiry()
    if (this.#nextExpiry !== undefined) this.#cleanUpAfter(this.#nextExpiry)
    else if (this.#dirty.size === 0) await this.#empty()
  }

  #count(id: number, hits: readonly WireHit[], nowMs: number): readonly number[] {
    const now = Math.floor(nowMs / 1000)
    const answer: number[] = []
    for (const [key, unitIndex, addend] of hits) answer.push(...this.#apply(key, unitIndex, addend, now))
    this.#finish(id, answer, now)
    return answer
  }

  #draw(wires: readonly WireDraw[], drawing: Drawing): readonly number[] {
    const now = Math.floor(drawing.nowMs / 1000)
    const answer = encodeDraws(wires.map((wire) => this.#drawOne(wire, drawing, now)))
    this.#finish(drawing.id, answer, now)
    return answer
  }

  #drawOne(wire: WireDraw, drawing: Drawing, now: number): Draw {
    const [key, unitIndex] = wire
    const unit = unitAt(unitIndex)
    const name = nameOf(key, unitIndex)
    const known = this.#window(name, { key, unit }, now)
    const isBlocked = this.#blocks.size > 0 && (this.#blocks.get(key) ?? 0) > now
    const { window, draw } = drawFrom(this.#leases, { name, unit, window: known, isBlocked }, wire, drawing)
    // Looking makes no counter.
    if (window.hits > 0 || known !== undefined) this.#keep(name, { key, unit, window }, now)
    return isBlocked ? { ...draw, after: maxHits } : draw
  }

  #finish(id: number, answer: readonly number[], now: number): void {
    this.#receipts.keep({ id, answer })
    if (this.#alarm !== undefined && isBadlyTimed(this.#alarm.at, now)) this.#setAlarm(now)
  }

  #apply(key: string, unitIndex: number, addend: number, now: number): [after: number, reset: number] {
    const unit = unitAt(unitIndex)
    const name = nameOf(key, unitIndex)
    const window = this.#window(name, { key, unit }, now)
    const counted =
      addend === 0
        ? null
        : addend > 0
          ? addHits(window, unit, addend, now)
          : refundHits(window, unit, -addend, now)
    if (counted !== null) this.#keep(name, { key, unit, window: counted.window }, now)
    const { after, secondsUntilReset } = counted?.hits ?? peekHits(window, unit, now)
    const blockedFor = this.#blocks.size === 0 ? 0 : (this.#blocks.get(key) ?? 0) - now
    // Callers may remember a refusal for so long: no longer than the block lasts.
    return blockedFor > 0 ? [maxHits, Math.min(blockedFor, secondsUntilReset)] : [after, secondsUntilReset]
  }

  #window(name: string, { key, unit }: CounterName, now: number): Window | undefined {
    const known = this.#windows.find(name)
    if (known !== undefined) return known?.window
    if (unit === 'SECOND') return undefined
    const window = this.#tables.window({ key, unit })
    this.#windows.keep(name, window === undefined ? null : { key, unit, window }, now)
    return window
  }

  #keep(name: string, row: CounterRow, now: number): void {
    this.#windows.keep(name, row, now)
    if (row.unit !== 'SECOND') this.#dirty.set(name, row)
  }

  #read(key: string, unit: Unit, now: number): CounterReading[] {
    const window = this.#window(nameOf(key, units.indexOf(unit)), { key, unit }, now)
    if (window === undefined || window.start + unitSeconds[unit] <= now) return []
    const { after, secondsUntilReset } = peekHits(window, unit, now)
    const outstanding = this.#leases.outstanding(nameOf(key, units.indexOf(unit)), window.start)
    const reading = { unit, hits: after, windowStart: window.start, secondsUntilReset }
    return [outstanding > 0 ? { ...reading, outstanding } : reading]
  }

  #write(): void {
    const rows = [...this.#dirty.values()]
    this.#dirty.clear()
    this.#tables.write(rows)
    this.#receipts.write()
    let first: Expiry | undefined
    for (const { unit, window } of rows) {
      const at = window.start + unitSeconds[unit]
      if (first === undefined || at < first.at) first = { at, unit }
    }
    if (first !== undefined) this.#cleanUpAfter(first)
  }

  #writeSoon(): void {
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined
      void this.#commit()
    }, relaxedFlushMs)
  }

  /** Makes sure that an alarm comes after the earliest expiry; an alarm in place for an earlier one stays. */
  #cleanUpAfter(expiry: Expiry): void {
    if (this.#nextExpiry === undefined || expiry.at < this.#nextExpiry.at) this.#nextExpiry = expiry
    if (this.#alarm === undefined || this.#alarm.for.at > this.#nextExpiry.at) this.#setAlarm(nowSeconds())
  }

  #setAlarm(now: number): void {
    if (this.#nextExpiry === undefined) return
    this.#alarm = { for: this.#nextExpiry, at: cleanupTime(this.#nextExpiry, now, Math.random()) }
    void this.ctx.storage.setAlarm(this.#alarm.at * 1000)
  }

  async #empty(): Promise<void> {
    this.#receipts.clear()
    await this.#tables.empty()
  }

  #forgetExpired(now: number): void {
    this.#windows.forgetExpired(now)
    for (const [key, until] of this.#blocks) if (until <= now) this.#blocks.delete(key)
  }
}

/** Tells whether a hit changes a counter that lives on disk. */
function mustLast([, unitIndex, addend]: WireHit): boolean {
  return addend !== 0 && units[unitIndex] !== 'SECOND'
}

function unitAt(unitIndex: number): Unit {
  const unit = units[unitIndex]
  if (unit === undefined) throw new RangeError(`Cannot count: unit ${unitIndex} does not exist`)
  return unit
}

/** The unit's digit and the key: unique, because a unit is one digit. */
function nameOf(key: string, unitIndex: number): string {
  return `${unitIndex}${key}`
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
