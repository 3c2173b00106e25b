/** Questions of one holder: they wait for a message to their object, travel, and their answers reach the leases. */

import type { StatDelta, StatSink } from '../ports.ts'
import { leaseStats } from '../statistics/names.ts'
import { askAhead, type HeldLeases, loseAnswer, type Surplus, takeAnswer } from './held-leases.ts'
import type { Draw, WireDraw } from './lease.ts'
import type { LeaseSource } from './source.ts'

/** Request that carries a message to an object. */
export interface Carrier {
  /** Lets work go on after the answer. */
  readonly later: (work: Promise<void>) => void
  readonly stats: StatSink
}

/** Clock and chance of a holder. */
export interface HolderWorld {
  /** Unix time in milliseconds. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  /** A number from 0 to 2^53 - 1, equally likely. */
  readonly drawId: () => number
}

/** Questions of one message beside those of its request, and objects that are asked at once. */
export const questionBounds = { perMessage: 128, objects: 256 } as const
/** A flush that has not come by so much after its time was lost with its request. */
const lostAfterMs = 1_000

/** Starts without questions. */
export function createQuestions(held: HeldLeases, source: LeaseSource, { now, wait, drawId }: HolderWorld) {
  const holder = drawId()
  /** Counters to be asked about, by object. */
  const waiting = new Map<string, Map<string, Surplus>>()
  /** Calls without an answer, each with its object. */
  const sending = new Map<Promise<unknown>, string>()
  let flushAtMs = Number.POSITIVE_INFINITY

  /** Takes the questions that wait for an object; some may have been asked meanwhile. */
  function takeWaiting(object: string): readonly WireDraw[] {
    const wishes = waiting.get(object)
    if (wishes === undefined) return []
    const beside = [...wishes].slice(0, questionBounds.perMessage)
    for (const [name] of beside) wishes.delete(name)
    // The object goes to the end of the order in which objects are asked.
    waiting.delete(object)
    if (wishes.size > 0) waiting.set(object, wishes)
    const nowMs = now()
    return beside.map(([, wish]) => askAhead(held, wish, nowMs)).filter((wire) => wire !== null)
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
      stats.record(countDraws(draws, answers))
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

  /** Sends questions, and those that wait, to one object; all answers are taken, those to `draws` returned. */
  function send(object: string, draws: readonly WireDraw[], stats: StatSink): Promise<readonly Draw[]> {
    const call = exchange(object, draws, stats).finally(() => sending.delete(call))
    sending.set(call, object)
    return call
  }

  /** Asks several objects; what fails is asked again when a lease has run out. */
  async function sendAll(byObject: ReadonlyMap<string, readonly WireDraw[]>, stats: StatSink): Promise<void> {
    await Promise.allSettled([...byObject].map(([object, draws]) => send(object, draws, stats)))
  }

  async function flush(atMs: number, { stats }: Carrier): Promise<void> {
    await wait(Math.max(0, atMs - now()))
    if (flushAtMs === atMs) flushAtMs = Number.POSITIVE_INFINITY
    const objects = [...waiting.keys()].slice(0, questionBounds.objects)
    await sendAll(new Map(objects.map((object) => [object, []])), stats)
  }

  return {
    send,
    sendAll,

    /** Asks for more of a counter within so many milliseconds, with all else that its object is to be asked by then. */
    askWithin(wish: Surplus, milliseconds: number, carrier: Carrier): void {
      const object = source.objectOf(wish.key)
      const wishes = waiting.get(object) ?? new Map<string, Surplus>()
      waiting.set(object, wishes.set(`${wish.unit} ${wish.key}`, wish))
      const nowMs = now()
      const isComing = flushAtMs <= nowMs + milliseconds && nowMs <= flushAtMs + lostAfterMs
      if (isComing) return
      flushAtMs = nowMs + milliseconds
      carrier.later(flush(flushAtMs, carrier))
    },

    /** Waits for the answers to the questions that are on their way to an object. */
    settle: (object: string): Promise<unknown> =>
      Promise.allSettled([...sending].flatMap(([call, to]) => (to === object ? [call] : []))),

    /** Tells whether an answer may still bring a lease. */
    isAsking: (): boolean =>
      sending.size > 0 || (waiting.size > 0 && Number.isFinite(flushAtMs) && now() <= flushAtMs + lostAfterMs),

    /** Forgets the questions that wait, and waits for all answers. */
    async end(): Promise<void> {
      waiting.clear()
      await Promise.allSettled(sending.keys())
    },
  }
}

/** The questions of one holder. */
export type Questions = ReturnType<typeof createQuestions>

function countDraws(draws: readonly WireDraw[], answers: readonly Draw[]): readonly StatDelta[] {
  let [granted, returned, faults] = [0, 0, 0]
  for (const answer of answers) {
    granted += answer.granted
    faults += answer.faults
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
