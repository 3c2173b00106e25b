/** Questions of one holder: they wait for a message to their object, travel, and their answers reach the leases. */

import type { StatDelta, StatSink } from '../ports.ts'
import { leaseStats } from '../statistics/names.ts'
import { type HeldLeases, loseAnswer, type Surplus, takeAnswer } from './held-leases.ts'
import { type Draw, decodeReturned, readQuestion, type WireDraw } from './lease.ts'
import { createQuestionQueue } from './question-queue.ts'
import type { DrawCall, LeaseSource } from './source.ts'

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

/** A flush that has not come by so much after its time was lost with its request. */
const lostAfterMs = 1_000

/** Starts without questions. */
export function createQuestions(held: HeldLeases, source: LeaseSource, { now, wait, drawId }: HolderWorld) {
  const holder = drawId()
  const queue = createQuestionQueue(held)
  /** Calls without an answer, each with its object. */
  const sending = new Map<Promise<unknown>, string>()
  let flushAtMs = Number.POSITIVE_INFINITY

  async function ask(object: string, own: readonly WireDraw[], stats: StatSink): Promise<readonly Draw[]> {
    const draws = [...own, ...queue.take(object, now())]
    if (draws.length === 0) return []
    const answers = await exchange({ object, id: drawId(), holder, draws }, { held, source, now, stats })
    return answers.slice(0, own.length)
  }

  /** Sends questions, and those that wait, to one object; all answers are taken, those to `draws` returned. */
  function send(object: string, draws: readonly WireDraw[], stats: StatSink): Promise<readonly Draw[]> {
    const call = ask(object, draws, stats).finally(() => sending.delete(call))
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
    await sendAll(new Map(queue.objects().map((object) => [object, []])), stats)
  }

  return {
    send,
    sendAll,

    /** Asks for more of a counter within so many milliseconds, with all else that its object is to be asked by then. */
    askWithin(wish: Surplus, milliseconds: number, carrier: Carrier): void {
      queue.add(source.objectOf(wish.key), wish)
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
      sending.size > 0 || (!queue.isEmpty() && Number.isFinite(flushAtMs) && now() <= flushAtMs + lostAfterMs),

    /** Forgets the questions that wait, and waits for all answers. */
    async end(): Promise<void> {
      queue.clear()
      await Promise.allSettled(sending.keys())
    },
  }
}

interface Exchange {
  readonly held: HeldLeases
  readonly source: LeaseSource
  readonly now: () => number
  readonly stats: StatSink
}

/** Makes a call whose answers reach the leases; where it fails, they learn that no answer will come. */
async function exchange(call: DrawCall, { held, source, now, stats }: Exchange): Promise<readonly Draw[]> {
  const { id, draws } = call
  const sentMs = now()
  try {
    const answers = await source.draw(call)
    const nowMs = now()
    for (const [at, wire] of draws.entries()) {
      const draw = answers[at]
      if (draw === undefined) loseAnswer(held, wire)
      else takeAnswer(held, wire, draw, { id, limit: readQuestion(wire).limit, sentMs, nowMs })
    }
    stats.record(countDraws(draws, answers))
    return answers
  } catch (error) {
    for (const wire of draws) loseAnswer(held, wire)
    stats.record([
      { name: leaseStats.calls, delta: 1 },
      { name: leaseStats.lost, delta: 1 },
    ])
    throw error
  }
}

function countDraws(draws: readonly WireDraw[], answers: readonly Draw[]): readonly StatDelta[] {
  const returned = draws.flatMap((wire) => decodeReturned(readQuestion(wire).returned))
  const stats = [
    { name: leaseStats.calls, delta: 1 },
    { name: leaseStats.granted, delta: answers.reduce((sum, { granted }) => sum + granted, 0) },
    { name: leaseStats.returned, delta: returned.reduce((sum, { unused }) => sum + unused, 0) },
    { name: leaseStats.faults, delta: answers.reduce((sum, { faults }) => sum + faults, 0) },
  ]
  return stats.filter(({ delta }) => delta > 0)
}
