/** Leases of a holder, an isolate or a front: kept between requests, and returned when they are not needed any more. */

import type { StatSink } from '../ports.ts'
import { admitHits, askForHits, createHeldLeases, type LeasedHit } from './held-leases.ts'
import type { WireDraw } from './lease.ts'
import type { LeasedName } from './lease-table.ts'
import { questionBounds } from './question-queue.ts'
import { type Carrier, createQuestions, type HolderWorld } from './questions.ts'
import { countHeld, findSurplus, giveBack } from './returns.ts'
import type { LeaseSource } from './source.ts'

interface HolderOptions {
  /** Counters that leases are held of (`LEASES_MAX_KEYS`). */
  readonly most: number
  readonly source: LeaseSource
  readonly world: HolderWorld
  /** Tells whether what is not needed of a counter may go back; true where it is absent. */
  readonly mayReturn?: (name: LeasedName) => boolean
}

/** The timer that returns leases: it checks once a second, and ends before the platform ends it. */
const returnTimer = { everyMs: 1_000, openMs: 10_000, lastsMs: 28_000 }

/** Makes a holder without leases. */
export function createLeaseHolder({ most, source, world, mayReturn = () => true }: HolderOptions) {
  const { now, wait } = world
  const held = createHeldLeases(most)
  const { sendAll, end, isAsking, ...questions } = createQuestions(held, source, world)
  /** Time until which the running timer serves further requests, Unix milliseconds. */
  let openUntilMs = 0

  /** Writes the questions that return what is not needed, as many as may be sent at once. */
  function writeReturns(nowMs: number): ReadonlyMap<string, readonly WireDraw[]> {
    const byObject = new Map<string, WireDraw[]>()
    for (const surplus of findSurplus(held, nowMs)) {
      if (!mayReturn(surplus)) continue
      const object = source.objectOf(surplus.key)
      const known = byObject.get(object) ?? []
      if (known.length >= questionBounds.perMessage) continue
      if (known.length === 0 && byObject.size >= questionBounds.objects) continue
      const wire = giveBack(held, surplus, nowMs)
      if (wire === null) continue
      known.push(wire)
      byObject.set(object, known)
    }
    return byObject
  }

  /** Returns leases that are not needed, until none is held or on its way, or the platform would end it. */
  async function runReturnTimer(startedMs: number, { stats }: Carrier): Promise<void> {
    for (let nowMs = startedMs; nowMs < startedMs + returnTimer.lastsMs; nowMs = now()) {
      await wait(returnTimer.everyMs)
      await sendAll(writeReturns(now()), stats)
      if (countHeld(held) === 0 && !isAsking()) break
    }
    if (openUntilMs === startedMs + returnTimer.openMs) openUntilMs = 0
  }

  return {
    ...questions,
    held,
    source,
    admit: (hit: LeasedHit, nowMs: number) => admitHits(held, hit, nowMs),
    ask: (hit: LeasedHit, nowMs: number) => askForHits(held, hit, nowMs),
    /** Lets a timer behind the request's answer return leases that are not needed any more. */
    scheduleReturns(carrier: Carrier): void {
      const nowMs = now()
      if (nowMs < openUntilMs && openUntilMs <= nowMs + returnTimer.openMs) return
      openUntilMs = nowMs + returnTimer.openMs
      carrier.later(runReturnTimer(nowMs, carrier))
    },
    /** Returns every lease, those on their way too; what cannot be returned counts as used until its window ends. */
    async returnAll(stats: StatSink): Promise<void> {
      await end()
      // Without a hit every lease is more than is needed; one whose return fails is not held any more.
      held.hitMs = Number.NEGATIVE_INFINITY
      for (let left = writeReturns(now()); left.size > 0; left = writeReturns(now())) await sendAll(left, stats)
    },
  }
}

/** The leases of one holder. */
export type LeaseHolder = ReturnType<typeof createLeaseHolder>
