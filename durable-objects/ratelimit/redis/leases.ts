/** Leases of counters in a shared Redis: each is hits that are counted there when they are handed out. */

import type { Drawing } from '#ratelimit/lease/draw.ts'
import type { Draw, WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { drawCommands, readDrawn } from '#ratelimit/redis/commands.ts'
import { unitSeconds, windowStart } from '#ratelimit/window.ts'
import { nameOf, unitAt } from '../counter/wire.ts'
import { runByStore, type StoreOf } from './by-store.ts'

/** Makes the leases of one pool member, which is asked about a key by all isolates. */
export function redisLeases(storeOf: StoreOf, jitter: () => number) {
  const book = createLeaseBook()

  function prepare(wire: WireDraw, { holder, nowMs }: Drawing) {
    const [key, unitIndex, addend, limit, wanted, all, returned] = wire
    const now = Math.floor(nowMs / 1000)
    const unit = unitAt(unitIndex)
    const name = nameOf(key, unitIndex)
    const start = windowStart(unit, now)
    const { unused, faults } = book.settle(name, start, returned)
    const outstanding = book.outstanding(name, start)
    const divisor = wanted > 0 ? book.divisor(name, start, { holder, takesAll: all === 1 }, nowMs) : 0
    const draw = { key, unit, addend, limit, unused, outstanding, wanted, divisor }
    return { name, unit, windowStart: start, outstanding, faults, command: drawCommands(draw, now, jitter()) }
  }

  function finish(
    { name, unit, windowStart: start, outstanding, faults }: ReturnType<typeof prepare>,
    reply: Parameters<typeof readDrawn>[0],
    { id, nowMs }: Drawing,
  ): Draw {
    const { counted, granted } = readDrawn(reply)
    book.open(name, start, id, granted)
    return {
      after: counted + granted,
      windowStart: start,
      millisecondsUntilReset: (start + unitSeconds[unit]) * 1000 - nowMs,
      granted,
      outstanding: outstanding + granted,
      faults,
    }
  }

  return async (wires: readonly WireDraw[], drawing: Drawing): Promise<readonly Draw[]> => {
    const asked = wires.map((wire) => prepare(wire, drawing))
    const replies = await runByStore(asked, storeOf, ({ command }) => command)
    return asked.map((one, at) => finish(one, replies[at], drawing))
  }
}
