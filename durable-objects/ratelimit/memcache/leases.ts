/** Leases of counters in shared memcached servers: increased when they are handed out, and judged on the new value. */

import { stampedKey } from '#ratelimit/counter-key.ts'
import { type Drawing, isHeldBack } from '#ratelimit/lease/draw.ts'
import type { Draw, WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook, leaseSize } from '#ratelimit/lease/lease-book.ts'
import { encodeAdd, encodeIncrement, encodeSwap } from '#ratelimit/memcache/text.ts'
import { type StoreWindow, secondsToLive } from '#ratelimit/store-block.ts'
import { unitSeconds, windowStart } from '#ratelimit/window.ts'
import { nameOf, unitAt } from '../counter/wire.ts'
import { type Ask, findCounter } from './found-counter.ts'

/** Attempts to take hits off a counter that others change meanwhile; after that they stay counted. */
const attempts = 20

/** Makes the leases of one pool member, which is asked about a key by all isolates. */
export function memcacheLeases(ask: Ask, jitter: () => number) {
  const book = createLeaseBook()

  /** Adds hits; the value that the server answers is the one to judge on. */
  async function add({ key, unit }: StoreWindow, hits: number, now: number): Promise<number> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const increased = await ask(key, encodeIncrement(key, hits))
      if (increased.kind === 'number') return Number(increased.value)
      const item = { value: hits, ttl: unitSeconds[unit] + jitter(), now }
      if ((await ask(key, encodeAdd(key, item))).kind === 'stored') return hits
    }
    throw new Error(`memcached: the counter came and went ${attempts} times`)
  }

  /** Takes hits off by writing the value anew: `decr` leaves spaces behind it, which the reference does not read. */
  async function takeOff(window: StoreWindow, hits: number, now: number): Promise<boolean> {
    const { key } = window
    for (let attempt = 0; attempt < attempts; attempt++) {
      const found = await findCounter(ask, key)
      if (found === null) return true
      const { count, flags, token } = found
      const item = { value: Math.max(0, count - hits), flags, ttl: secondsToLive(window, now) + jitter(), now }
      if ((await ask(key, encodeSwap(key, item, token))).kind === 'stored') return true
    }
    return false
  }

  /** Hands back what a lease was granted beyond the limit, because others counted since the counter was read. */
  async function trim(window: StoreWindow, granted: number, over: number, now: number): Promise<number> {
    const excess = Math.min(granted, Math.max(0, over))
    if (excess > 0) await takeOff(window, excess, now)
    return granted - excess
  }

  async function drawOne(wire: WireDraw, { id, holder, nowMs }: Drawing): Promise<Draw> {
    const [key, unitIndex, addend, limit, wanted, all, returned] = wire
    const now = Math.floor(nowMs / 1000)
    const unit = unitAt(unitIndex)
    const name = nameOf(key, unitIndex)
    const start = windowStart(unit, now)
    const window = { key: stampedKey(key, unit, now), unit, start }
    const { unused, faults } = book.settle(name, start, returned)
    if (unused > 0) await takeOff(window, unused, now)
    const outstanding = book.outstanding(name, start)
    const divisor = wanted > 0 ? book.divisor(name, start, { holder, takesAll: all === 1 }, nowMs) : 0
    const seen = ((await findCounter(ask, window.key))?.count ?? 0) + addend
    const asked = seen > limit ? 0 : leaseSize(limit - seen, wanted, divisor)
    const counted = (isHeldBack(seen, limit, outstanding) ? 0 : addend) + asked
    const value = counted === 0 ? seen : await add(window, counted, now)
    const granted = asked === 0 ? 0 : await trim(window, asked, value - limit, now)
    book.open(name, start, id, granted)
    return {
      after: value - (asked - granted),
      windowStart: start,
      millisecondsUntilReset: (start + unitSeconds[unit]) * 1000 - nowMs,
      granted,
      outstanding: outstanding + granted,
      faults,
    }
  }

  return (wires: readonly WireDraw[], drawing: Drawing): Promise<readonly Draw[]> =>
    Promise.all(wires.map((wire) => drawOne(wire, drawing)))
}
