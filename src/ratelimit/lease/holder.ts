/** Leases of a holder, an isolate or a front: kept between requests, with questions for more behind the answers. */

import type { StatDelta, StatSink } from '../ports.ts'
import { leaseStats } from '../statistics/names.ts'
import {
  type Admitted,
  admitHits,
  askAhead,
  askForHits,
  countHeld,
  createHeldLeases,
  findSurplus,
  giveBack,
  type HeldLeases,
  type LeasedHit,
  loseAnswer,
  type Surplus,
  takeAnswer,
} from './held-leases.ts'
import type { Draw, WireDraw } from './lease.ts'
import type { LeasedName } from './lease-table.ts'
import type { LeaseSource } from './source.ts'

/** Request that carries a message to an object. */
export interface Carrier {
  /** Lets work go on after the answer. */
  readonly later: (work: Promise<void>) => void
  readonly stats: StatSink
}

interface HolderOptions {
  /** Counters that leases are held of (`LEASES_MAX_KEYS`). */
  readonly most: number
  readonly source: LeaseSource
  readonly world: {
    /** Unix time in milliseconds. */
    readonly now: () => number
    readonly wait: (milliseconds: number) => Promise<void>
    /** A number from 0 to 2^53 - 1, equally likely. */
    readonly drawId: () => number
  }
  /** Tells whether what is not needed of a counter may go back; true where it is absent. */
  readonly mayReturn?: (name: LeasedName) => boolean
}

/** The leases of one holder. */
export interface LeaseHolder {
  readonly held: HeldLeases
  admit(hit: LeasedHit, nowMs: number): Admitted | null
  ask(hit: LeasedHit, nowMs: number): WireDraw
  readonly source: LeaseSource
  /** Asks for more of a counter within so many milliseconds, with all else that its object is to be asked by then. */
  askWithin(wish: Surplus, milliseconds: number, carrier: Carrier): void
  /** Sends questions, and those that wait, to one object; all answers are taken, those to `draws` returned. */
  send(object: string, draws: readonly WireDraw[], stats: StatSink): Promise<readonly Draw[]>
  /** Waits for the answers to the questions that are on their way to an object. */
  settle(object: string): Promise<unknown>
  /** Lets a timer behind the request's answer return leases that are not needed any more. */
  scheduleReturns(carrier: Carrier): void
  /** Returns every lease, those on their way too; what cannot be returned counts as used until its window ends. */
  returnAll(stats: StatSink): Promise<void>
  /** Counters of which hits are held. */
  readonly size: number
}

/** Questions that travel beside those of a request, and objects that one timer asks. */
const [mostBeside, mostObjects] = [128, 256]
/** A flush that has not come by so much after its time was lost with its request. */
const lostAfterMs = 1_000
/** The timer that returns leases: it checks once a second, and ends before the platform ends it. */
const returnTimer = { everyMs: 1_000, openMs: 10_000, lastsMs: 28_000 }

/** Makes a holder without leases. */
export function createLeaseHolder({
  most,
  source,
  world: { now, wait, drawId },
  mayReturn = () => true,
}: HolderOptions): LeaseHolder {
  const held = createHeldLeases(most)
  const holder = drawId()
  /** Counters to be asked about, by object. */
  const waiting = new Map<string, Map<string, Surplus>>()
  /** Questions without an answer, each with its object. */
  const sending = new Map<Promise<unknown>, string>()
  let flushAtMs = Number.POSITIVE_INFINITY
  /** Time until which the running timer serves further requests, Unix milliseconds. */
  let openUntilMs = 0

  /** Takes the questions that wait for an object; some may have been asked meanwhile. */
  function takeWaiting(object: string): WireDraw[] {
    const wishes = waiting.get(object)
    if (wishes === undefined) return []
    waiting.delete(object)
    const beside = [...wishes].slice(0, mostBeside)
    for (const [name] of beside) wishes.delete(name)
    if (wishes.size > 0) waiting.set(object, wishes)
    const nowMs = now()
    return beside.flatMap(([, wish]) => {
      const wire = askAhead(held, wish, nowMs)
      return wire === null ? [] : [wire]
    })
  }

  function send(object: string, own: readonly WireDraw[], stats: StatSink): Promise<readonly Draw[]> {
    const call = exchange(object, own, stats).finally(() => sending.delete(call))
    sending.set(call, object)
    return call
  }

  async function exchange(object: string, own: readonly WireDraw[], stats: StatSink): Promise<readonly Draw[]> {
    const draws = [...own, ...takeWaiting(object)]
    if (draws.length === 0) return []
    const [id, sentMs] = [drawId(), now()]
    try {
      const answers = await source.draw({ object, id, holder, draws })
      const nowMs = now()
      for (const [at, wire] of draws.entries()) {
        const draw = answers[at]
        if (draw === undefined) loseAnswer(held, wire)
        else takeAnswer(held, wire, draw, { id, limit: wire[3], sentMs, nowMs })
      }
      stats.record(drawStats(draws, answers))
      return answers.slice(0, own.length)
    } catch (error) {
      for (const wire of draws) loseAnswer(held, wire)
      stats.record([
        { name: leaseStats.calls, delta: 1 },
        { name: leaseStats.lost, delta: 1 },
      ])
      throw error
    }
  }

  /** Asks the objects; what fails is asked again when a lease has run out. */
  async function sendAll(byObject: ReadonlyMap<string, readonly WireDraw[]>, stats: StatSink): Promise<void> {
    await Promise.allSettled([...byObject].map(([object, draws]) => send(object, draws, stats)))
  }

  async function flush(atMs: number, { stats }: Carrier): Promise<void> {
    await wait(Math.max(0, atMs - now()))
    if (flushAtMs === atMs) flushAtMs = Number.POSITIVE_INFINITY
    const objects = [...waiting.keys()].slice(0, mostObjects)
    await sendAll(new Map(objects.map((object) => [object, []])), stats)
  }

  /** Returns leases that are not needed, until none is held or the platform would end it. */
  async function runReturnTimer(startedMs: number, { stats }: Carrier): Promise<void> {
    for (let nowMs = startedMs; nowMs < startedMs + returnTimer.lastsMs; nowMs = now()) {
      await wait(returnTimer.everyMs)
      await sendAll(returnsByObject(now()), stats)
      if (countHeld(held) === 0) break
    }
    if (openUntilMs === startedMs + returnTimer.openMs) openUntilMs = 0
  }

  function returnsByObject(nowMs: number): ReadonlyMap<string, readonly WireDraw[]> {
    const byObject = new Map<string, WireDraw[]>()
    for (const surplus of findSurplus(held, nowMs)) {
      if (!mayReturn(surplus)) continue
      const object = source.objectOf(surplus.key)
      const known = byObject.get(object)
      if (known === undefined ? byObject.size >= mostObjects : known.length >= mostBeside) continue
      const wire = giveBack(held, surplus, nowMs)
      if (wire === null) continue
      if (known === undefined) byObject.set(object, [wire])
      else known.push(wire)
    }
    return byObject
  }

  return {
    held,
    settle: (object) => Promise.allSettled([...sending].flatMap(([call, to]) => (to === object ? [call] : []))),
    admit: (hit, nowMs) => admitHits(held, hit, nowMs),
    ask: (hit, nowMs) => askForHits(held, hit, nowMs),
    source,
    send,
    get size() {
      return countHeld(held)
    },
    askWithin(wish, milliseconds, carrier) {
      const object = source.objectOf(wish.key)
      const wishes = waiting.get(object) ?? new Map<string, Surplus>()
      waiting.set(object, wishes.set(`${wish.unit} ${wish.key}`, wish))
      const nowMs = now()
      const isComing = flushAtMs <= nowMs + milliseconds && nowMs <= flushAtMs + lostAfterMs
      if (isComing) return
      flushAtMs = nowMs + milliseconds
      carrier.later(flush(flushAtMs, carrier))
    },
    scheduleReturns(carrier) {
      const nowMs = now()
      if (nowMs < openUntilMs && openUntilMs <= nowMs + returnTimer.openMs) return
      openUntilMs = nowMs + returnTimer.openMs
      carrier.later(runReturnTimer(nowMs, carrier))
    },
    async returnAll(stats) {
      waiting.clear()
      await Promise.allSettled(sending.keys())
      // Without a hit every lease is more than is needed; one whose return fails is not held any more.
      held.hitMs = Number.NEGATIVE_INFINITY
      for (let left = returnsByObject(now()); left.size > 0; left = returnsByObject(now())) await sendAll(left, stats)
    },
  }
}

function drawStats(draws: readonly WireDraw[], answers: readonly Draw[]): readonly StatDelta[] {
  let [granted, returned, faults] = [0, 0, 0]
  for (const { granted: hits, faults: wrong } of answers) {
    granted += hits
    faults += wrong
  }
  for (const [, , , , , , pairs] of draws) for (let at = 1; at < pairs.length; at += 2) returned += pairs[at] ?? 0
  const stats = [
    { name: leaseStats.calls, delta: 1 },
    { name: leaseStats.granted, delta: granted },
    { name: leaseStats.returned, delta: returned },
    { name: leaseStats.faults, delta: faults },
  ]
  return stats.filter(({ delta }) => delta > 0)
}
