/** A world in memory where isolates hold leases of one counter, or of objects of their regions: messages that wait, get lost or come twice, clocks that differ, and crashes. */

import type { Random } from '#base/random.ts'
import type { Window } from '#ratelimit/counter.ts'
import { drawFrom } from '#ratelimit/lease/draw.ts'
import {
  admitHits,
  askAhead,
  askForHits,
  createHeldLeases,
  type HeldLeases,
  loseAnswer,
  takeAnswer,
} from '#ratelimit/lease/held-leases.ts'
import type { Draw, WireDraw } from '#ratelimit/lease/lease.ts'
import { createLeaseBook } from '#ratelimit/lease/lease-book.ts'
import { answerDraw, beginDraw, isHandedOn, type RegionLeases } from '#ratelimit/lease/region.ts'
import { findSurplus, giveBack } from '#ratelimit/lease/returns.ts'
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

/** Regions: each has an object that holds leases of the counter and hands them on; holder `n` is in region `n` modulo `count`. */
export interface RegionPlan {
  readonly count: number
  /** Milliseconds of one way within a region, drawn for every message. */
  readonly nearMs: () => number
  /** Milliseconds of one way between a region and the counter. */
  readonly farMs: (region: number) => number
}

/** The world to make. */
export interface WorldPlan {
  readonly unit: Unit
  readonly limit: number
  readonly holders: number
  readonly random: Random
  readonly network: Network
  readonly clockOf: () => ClockError
  readonly regions?: RegionPlan
}

/** Way of messages; nothing passes while it is cut. */
interface Link {
  readonly delayMs: () => number
  readonly isCut?: () => boolean
}

interface RegionObject extends RegionLeases {
  readonly id: number
  readonly clock: ClockError
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
  /** Milliseconds until each admitted hit was answered. */
  readonly waitsMs: number[]
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
  /** The object of a region vanishes with all that it knows. */
  crashRegion(region: number): void
  /** Cuts a region from the counter, or from its holders, for so many milliseconds. */
  cut(region: number, from: 'counter' | 'holders', milliseconds: number): void
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

/** Milliseconds after which a holder asks the counter itself. */
const regionPatienceMs = 1_000

const startMs = 1_700_000_000_000

/** Makes a world at a random moment of a window. */
export function createLeaseWorld(plan: WorldPlan): LeaseWorld {
  const { random, unit, limit, network } = plan
  const tally: Tally = { admitted: new Map(), refused: 0, calls: 0, fromLeases: 0, waitsMs: [] }
  let nowMs = startMs + random.integer(0, 3_600_000)
  /** In order; those of one moment in the order in which they were added. */
  const events: Event[] = []

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
    const atMs = nowMs + delayMs
    let [place, end] = [0, events.length]
    while (place < end) {
      const middle = (place + end) >> 1
      if ((events[middle]?.atMs ?? 0) > atMs) end = middle
      else place = middle + 1
    }
    events.splice(place, 0, { atMs, run })
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

  const home: Link = { delayMs: network.delayMs }
  const cutUntilMs = { counter: new Map<number, number>(), holders: new Map<number, number>() }
  const regions = new Map<number, RegionObject>()

  function newRegion(): RegionObject {
    return { held: createHeldLeases(100), book: createLeaseBook(), id: random.uint32(), clock: plan.clockOf() }
  }

  function regionAt(region: number): RegionObject {
    const object = regions.get(region) ?? newRegion()
    regions.set(region, object)
    return object
  }

  function linkOf(region: number, to: 'counter' | 'holders'): Link {
    const delayMs = () => (to === 'counter' ? plan.regions?.farMs(region) : plan.regions?.nearMs()) ?? 0
    return { delayMs, isCut: () => nowMs < (cutUntilMs[to].get(region) ?? 0) }
  }

  /** Carries a question and its answer over a link that loses and repeats. */
  function exchange(
    { delayMs, isCut = () => false }: Link,
    serve: (reply: (draw: Draw) => void) => void,
    onAnswer: (draw: Draw) => void,
  ): void {
    const isLost = () => isCut() || random.uniform() < network.lost
    const copies = random.uniform() < network.repeated ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (isLost()) continue
      at(delayMs(), () =>
        serve((draw) => {
          if (!isLost()) at(delayMs(), () => onAnswer(draw))
        }),
      )
    }
  }

  const newId = () => random.uint32() * 4_294_967_296 + random.uint32()

  /** Asks the counter for what a region lacks; the answer goes to the object that asked, unless it is gone. */
  function askHome(region: number, object: RegionObject, wire: WireDraw, onDraw: (draw: Draw) => void): void {
    const [id, sentMs] = [newId(), read(object.clock)]
    let isOpen = true
    exchange(
      linkOf(region, 'counter'),
      (reply) => reply(answer(id, object.id, wire)),
      (draw) => {
        if (!isOpen || regions.get(region) !== object) return
        isOpen = false
        takeAnswer(object.held, wire, draw, { id, limit, sentMs, nowMs: read(object.clock) })
        onDraw(draw)
      },
    )
    at(5_000, () => {
      if (isOpen && regions.get(region) === object) loseAnswer(object.held, wire)
      isOpen = false
    })
  }

  /** The object of a region; a repeated question is begun again, which hands out twice and counts twice. */
  function serveRegion(region: number, wire: WireDraw, holder: number, id: number, reply: (draw: Draw) => void): void {
    const object = regionAt(region)
    const begun = beginDraw(object, wire, read(object.clock))
    const finish = (fromHome: Draw | null) => {
      const drawing = { id, holder, nowMs: read(object.clock) }
      const { draw, askWithinMs } = answerDraw(object, begun, fromHome, drawing)
      if (askWithinMs !== null) at(askWithinMs, () => askRegionAhead(region, object))
      reply(draw)
    }
    if (begun.question === null) finish(null)
    else askHome(region, object, begun.question, finish)
  }

  function askRegionAhead(region: number, object: RegionObject): void {
    const wire =
      regions.get(region) === object ? askAhead(object.held, { key: 'a', unit, limit }, read(object.clock)) : null
    if (wire !== null) askHome(region, object, wire, () => {})
  }

  /** Sends a question; its answer goes to the leases that asked, unless they are gone by then. */
  function send(index: number, wire: WireDraw): void {
    const { held, id: holderId, clock } = holderAt(index)
    const [, , addend] = wire
    const [id, sentMs, askedMs] = [newId(), read(clock), nowMs]
    let isOpen = true
    const take = (draw: Draw) => {
      if (!isOpen || holders[index]?.held !== held) return
      isOpen = false
      if (addend > 0 && draw.after - draw.granted <= limit) {
        admit(addend, draw.windowStart)
        tally.waitsMs.push(nowMs - askedMs)
      } else if (addend > 0) tally.refused += addend
      takeAnswer(held, wire, draw, { id, limit, sentMs, nowMs: read(holderAt(index).clock) })
    }
    if (plan.regions === undefined) exchange(home, (reply) => reply(answer(id, holderId, wire)), take)
    else {
      const region = index % plan.regions.count
      exchange(linkOf(region, 'holders'), (reply) => serveRegion(region, wire, holderId, id, reply), take)
      const [key, unitIndex] = wire
      const plain: WireDraw = [key, unitIndex, addend, limit, 0, 0, []]
      const own = { delayMs: () => plan.regions?.farMs(region) ?? 0 }
      at(regionPatienceMs, () => {
        if (isOpen) exchange(own, (reply) => reply(answer(id, holderId, plain)), take)
      })
    }
    at(5_000, () => {
      if (isOpen && holders[index]?.held === held) loseAnswer(held, wire)
      isOpen = false
    })
  }

  /** Returns what a holder, or the object of a region, does not need. */
  function returnSurplus(held: HeldLeases, clock: ClockError, ask: (wire: WireDraw) => void): void {
    for (const surplus of findSurplus(held, read(clock))) {
      const wire = giveBack(held, surplus, read(clock))
      if (wire !== null) ask(wire)
    }
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
      tally.waitsMs.push(0)
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
      exchange(
        home,
        (reply) => reply(answer(id, assigner, wire)),
        (draw) => {
          if (isOpen) onAnswer(draw, nowMs - sentMs)
          isOpen = false
        },
      )
    },
    admit: (hits) => admit(hits, counterWindow()),
    sweep(index) {
      const { held, clock } = holderAt(index)
      returnSurplus(held, clock, (wire) => send(index, wire))
      const region = index % (plan.regions?.count ?? 1)
      const object = index < (plan.regions?.count ?? 0) ? regions.get(region) : undefined
      if (object === undefined || isHandedOn(object, { key: 'a', unit }, read(object.clock))) return
      returnSurplus(object.held, object.clock, (wire) => askHome(region, object, wire, () => {}))
    },
    crashRegion: (region) => void regions.delete(region),
    cut: (region, from, milliseconds) => void cutUntilMs[from].set(region, nowMs + milliseconds),
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
        const [next] = events
        if (next === undefined || next.atMs > untilMs) break
        events.shift()
        nowMs = Math.max(nowMs, next.atMs)
        next.run()
      }
      nowMs = untilMs
    },
  }
}
