/**
 * The sliding window as two counters: the hits of the open window, and those of the window before by the part of it
 * that is less than a window's length ago, as if they had come evenly.
 */

import { addHits, openWindow, type Window } from '../counter.ts'
import { spanOf } from '../window.ts'
import type { Algorithm } from './algorithm.ts'
import type { CountedHit, TimedHit } from './count-hit.ts'

/** The two counters at a moment. */
interface Pair {
  /** Milliseconds of a window, and of the open one that have passed. */
  readonly lengthMs: number
  readonly passedMs: number
  readonly previous: number
  readonly current: number
}

/**
 * Counts one hit.
 *
 * The hits that passed within any stretch of a window's length are less than twice the limit, because those of the
 * window before may all have come at its end; where they came evenly, they are at most the limit, and one more for the
 * fraction that is cut off.
 */
export function countSliding(
  { seconds, charge }: Extract<Algorithm, { kind: 'sliding' }>,
  window: Window | undefined,
  { addend, limit, nowMs }: TimedHit,
): CountedHit {
  const [span, now] = [spanOf(seconds), Math.floor(nowMs / 1000)]
  const open = openWindow(window, span, now)
  const previous = open.shown?.find(({ start }) => start === open.start - seconds)?.more ?? 0
  const passedMs = nowMs - open.start * 1000
  const pair: Pair = { lengthMs: seconds * 1000, passedMs, previous: Math.max(0, previous), current: open.hits }
  const used = countUsed(pair)
  if (addend < 0) return giveBack(open, pair, window === undefined ? 0 : -addend, limit)
  const isOver = used + Math.max(1, addend) > limit
  const isCounted = addend > 0 && !(isOver && charge === 'admitted')
  const then = isCounted ? { ...pair, current: open.hits + addend } : pair
  return {
    window: isCounted ? addHits(open, span, addend, now).window : null,
    after: used + addend,
    secondsUntilReset: isOver ? secondsUntil(then, limit - Math.max(1, addend)) : secondsLeft(pair),
    most: limit,
  }
}

/** Takes hits off the open window. The others are kept as differences to it, so they fall too: they had the hits. */
function giveBack(open: Window, pair: Pair, hits: number, limit: number): CountedHit {
  const current = Math.max(0, open.hits - hits)
  const window = current === open.hits ? null : { ...open, hits: current }
  return { window, after: countUsed({ ...pair, current }), secondsUntilReset: secondsLeft(pair), most: limit }
}

function secondsLeft({ lengthMs, passedMs }: Pair): number {
  return Math.ceil((lengthMs - passedMs) / 1000)
}

function countUsed({ lengthMs, passedMs, previous, current }: Pair): number {
  return current + Math.floor((previous * (lengthMs - passedMs)) / lengthMs)
}

/**
 * Finds when no more than so many hits are used, if none come.
 *
 * @param room - negative where the hits never fit: then the answer is when nothing is used.
 * @returns whole seconds, at least 1.
 */
function secondsUntil({ lengthMs, passedMs, previous, current }: Pair, room: number): number {
  const restMs = lengthMs - passedMs
  const target = Math.max(0, room)
  const inThis = waitMs(previous, restMs, lengthMs, target - current)
  const inNext = restMs + waitMs(current, lengthMs, lengthMs, target)
  return Math.max(1, Math.ceil((current <= target && inThis < restMs ? inThis : inNext) / 1000))
}

/** Milliseconds until floor(count x rest / length) is at most `room`, where `rest` falls by one in each. */
function waitMs(count: number, restMs: number, lengthMs: number, room: number): number {
  if (count <= room) return 0
  return Math.max(0, Math.floor(restMs - (lengthMs * (room + 1)) / count) + 1)
}
