/** A world in memory where isolates hold leases of one counter: messages that wait, get lost or come twice, clocks that differ, and crashes. */

import type { Random } from '#base/random.ts'
import type { Window } from '#ratelimit/counter.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import {
  admitHits,
  askAhead,
  askForHits,
  createHeldLeases,
  findSurplus,
  giveBack,
  type HeldLeases,
  loseAnswer,
  takeAnswer,
} from '#ratelimit/lease/held-leases.ts'
import { createLeaseBook, type Draw, type WireDraw } from '#ratelimit/lease/lease.ts'
import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds } from '#ratelimit/window.ts'

/** Error of a clock against the world's: an offset in milliseconds, and a share of the time that passes. */
export interface ClockError {
  readonly offsetMs: number
  readonly rate: number
}

/** Faults of the network. */
export interface Network {
  /** Milliseconds of one way, drawn for every message. */
  readonly delayMs: () => number
  /** 0 to 1. */
  readonly lost: number
  readonly repeated: number
}

/** The world to make. */
export interface WorldPlan {
  readonly unit: Unit
  readonly limit: number
  readonly holders: number
  readonly random: Random
  readonly network: Network
  readonly clockOf: () => ClockError
}

interface Holder {
  held: HeldLeases
  id: number
  clock: ClockError
}

interface Event {
  readonly atMs: number
  readonly run: () => void
}

/** Admissions by the window that the counter's clock was in, and what they cost. */
export interface Tally {
  readonly admitted: Map<number, number>
  refused: number
  calls: number
  fromLeases: number
}

/** A running world; time passes only in `pass`. */
export interface LeaseWorld {
  readonly tally: Tally
  /** Milliseconds of the world's own time. */
  now(): number
  /** Unix time in seconds when the window at the counter began. */
  window(): number
  /** One request of so many hits reaches a holder. */
  hit(holder: number, addend: number): void
  /**
   * Sends a question of a holder that keeps its own books, as the object of assignments does.
   *
   * @param onAnswer - called at most once; the answer and the milliseconds of the world since the question.
   */
  draw(id: number, wire: WireDraw, onAnswer: (draw: Draw, passedMs: number) => void): void
  /** Counts hits as admitted now, in the window that the counter's clock is in. */
  admit(hits: number): void
  /** A holder's timer: what it does not need goes back. */
  sweep(holder: number): void
  /** The holder vanishes with all that it knows; another takes its place. */
  crashHolder(holder: number): void
  /** Sets a holder's clock by so many milliseconds. */
  setClock(holder: number, byMs: number): void
  /** Sets the counter's clock back by so many milliseconds, fewer than a second. */
  setCounterBack(byMs: number): void
  /** The object is started anew from what it has written. */
  crashCounter(): void
  pass(ms: number): void
}

/** The holder number of questions that `draw` sends. */
const assigner = 1

const startMs = 1_700_000_000_000

/** Makes a world at a random moment of a window. */
export function createLeaseWorld(plan: WorldPlan): LeaseWorld {
  const { random, unit, limit, network } = plan
  const tally: Tally = { admitted: new Map(), refused: 0, calls: 0, fromLeases: 0 }
  let nowMs = startMs + random.integer(0, 3_600_000)
  let events: Event[] = []

  let counterClock = plan.clockOf()
  let latestWindow = 0
  let book = createLeaseBook()
  let kept: Window | undefined
  let receipts = new Map<number, Draw>()

  const read = ({ offsetMs, rate }: ClockError) => Math.floor(nowMs + offsetMs + (nowMs - startMs) * rate)
  const counterWindow = () => {
    const seconds = Math.floor(read(counterClock) / 1000)
    // After a clock that was set back the counter stays in the window that has begun.
    latestWindow = Math.max(latestWindow, seconds - (seconds % unitSeconds[unit]))
    return latestWindow
  }

  function at(delayMs: number, run: () => void): void {
    events.push({ atMs: nowMs + delayMs, run })
  }

  /** The object: a repeated call is answered from its receipt. */
  function answer(id: number, holder: number, wire: WireDraw): Draw {
    const known = receipts.get(id)
    if (known !== undefined) return known
    tally.calls += 1
    const counter = { name: 'a', unit, window: kept, isBlocked: false }
    const { window, draw } = drawFrom(book, counter, wire, { id, holder, nowMs: read(counterClock) })
    kept = window
    receipts.set(id, draw)
    return draw
  }

  function newHolder(): Holder {
    return { held: createHeldLeases(100), id: random.uint32(), clock: plan.clockOf() }
  }
  const holders: (Holder | undefined)[] = []

  function holderAt(index: number): Holder {
    if (index >= plan.holders) throw new RangeError(`Cannot find holder ${index} of ${plan.holders}`)
    const holder = holders[index] ?? newHolder()
    holders[index] = holder
    return holder
  }

  function admit(hits: number, windowStart: number): void {
    tally.admitted.set(windowStart, (tally.admitted.get(windowStart) ?? 0) + hits)
  }

  /** Sends a question; its answer goes to the leases that asked, unless they are gone by then. */
  function send(index: number, wire: WireDraw): void {
    const holder = holderAt(index)
    const { held, id: holderId } = holder
    const [, , addend] = wire
    const [id, sentMs] = [random.uint32() * 4_294_967_296 + random.uint32(), read(holder.clock)]
    let isOpen = true
    const give = (draw: Draw) => {
      if (!isOpen || holders[index]?.held !== held) return
      isOpen = false
      if (addend > 0 && draw.after <= limit) admit(addend, draw.windowStart)
      else if (addend > 0) tally.refused += addend
      const nowOfHolder = read(holderAt(index).clock)
      takeAnswer(held, wire, draw, { id, limit, sentMs, nowMs: nowOfHolder })
    }
    const copies = random.uniform() < network.repeated ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (random.uniform() < network.lost) continue
      at(network.delayMs(), () => {
        const draw = answer(id, holderId, wire)
        if (random.uniform() >= network.lost) at(network.delayMs(), () => give(draw))
      })
    }
    at(5_000, () => {
      if (isOpen && holders[index]?.held === held) loseAnswer(held, wire)
      isOpen = false
    })
  }

  return {
    tally,
    now: () => nowMs,
    window: counterWindow,
    hit(index, addend) {
      const { held, clock } = holderAt(index)
      const hit = { key: 'a', unit, addend, limit }
      const admitted = admitHits(held, hit, read(clock))
      if (admitted === null) return send(index, askForHits(held, hit, read(clock)))
      admit(addend, counterWindow())
      tally.fromLeases += addend
      if (admitted.askWithinMs === null) return
      at(admitted.askWithinMs, () => {
        const holder = holderAt(index)
        const wire = holder.held === held ? askAhead(held, { key: 'a', unit, limit }, read(holder.clock)) : null
        if (wire !== null) send(index, wire)
      })
    },
    draw(id, wire, onAnswer) {
      const sentMs = nowMs
      let isOpen = true
      const copies = random.uniform() < network.repeated ? 2 : 1
      for (let copy = 0; copy < copies; copy++) {
        if (random.uniform() < network.lost) continue
        at(network.delayMs(), () => {
          const draw = answer(id, assigner, wire)
          if (random.uniform() < network.lost) return
          at(network.delayMs(), () => {
            if (isOpen) onAnswer(draw, nowMs - sentMs)
            isOpen = false
          })
        })
      }
    },
    admit: (hits) => admit(hits, counterWindow()),
    sweep(index) {
      const { held, clock } = holderAt(index)
      for (const surplus of findSurplus(held, read(clock))) {
        const wire = giveBack(held, surplus, read(clock))
        if (wire !== null) send(index, wire)
      }
    },
    crashHolder(index) {
      holders[index] = newHolder()
    },
    setClock(index, byMs) {
      const holder = holderAt(index)
      holder.clock = { ...holder.clock, offsetMs: holder.clock.offsetMs + byMs }
    },
    setCounterBack(byMs) {
      counterWindow()
      counterClock = { ...counterClock, offsetMs: counterClock.offsetMs - byMs }
    },
    crashCounter() {
      book = createLeaseBook()
      receipts = new Map(receipts)
    },
    pass(ms) {
      const untilMs = nowMs + ms
      for (;;) {
        let next: Event | undefined
        for (const event of events)
          if (event.atMs <= untilMs && event.atMs < (next?.atMs ?? Number.POSITIVE_INFINITY)) next = event
        if (next === undefined) break
        const { atMs, run } = next
        events = events.filter((event) => event !== next)
        nowMs = Math.max(nowMs, atMs)
        run()
      }
      nowMs = untilMs
    },
  }
}
