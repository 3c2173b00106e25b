/** Brute-force models of the algorithms of limits: every window with its whole count, and exact whole numbers. */

import type { Random } from '#base/random.ts'
import type { Algorithm } from '#ratelimit/algorithm/algorithm.ts'

/** A hit of a history; negative gives back, 0 looks. */
export interface ModelHit {
  readonly addend: number
  readonly nowMs: number
}

/** A counter that remembers all it needs without regard to size. */
export interface Model {
  /** The use after the hit. */
  hit(hit: ModelHit): number
  /** The use at a moment, without a change. */
  look(nowMs: number): number
}

/** Makes the model of an algorithm. */
export function algorithmModel(algorithm: Algorithm, limit: number): Model {
  return algorithm.kind === 'token_bucket' ? bucketModel(algorithm, limit) : windowModel(algorithm, limit)
}

/** Windows that a clock has shown, each with all that was counted while it was kept: R25 word for word. */
export interface Shown {
  /** The open one first; six at most. */
  readonly counts: readonly (readonly [start: number, count: number])[]
  readonly runsSince: number
  readonly ranUntil: number
}

/** Finds the start of the window that holds a moment, in Unix seconds. */
function startOfWindow(algorithm: Algorithm, now: number): number {
  const { seconds } = algorithm
  return algorithm.kind === 'calendar' ? scanStart(algorithm, now) : Math.floor(now / seconds) * seconds
}

/** Moves the windows that a clock has shown on to a moment. */
export function showAt(kept: Shown | undefined, algorithm: Algorithm, now: number): Shown {
  const { seconds } = algorithm
  const start = startOfWindow(algorithm, now)
  if (kept === undefined) return { counts: [[start, 0]], runsSince: now, ranUntil: now }
  const { counts, ranUntil } = kept
  const isOn = ranUntil === now || (now > ranUntil && now - ranUntil <= Math.max(1, seconds / 8))
  const runsSince = isOn ? kept.runsSince : now
  const [open] = counts
  if (open === undefined || open[0] === start) return { counts, runsSince, ranUntil: now }
  const before = now - runsSince >= seconds ? [open] : counts
  const known = before.find(([other]) => other === start)
  const later = before.filter(([other]) => other > start).map(([, count]) => count)
  const others = before.filter(([other]) => other !== start)
  return {
    counts: [[start, Math.max(0, ...(known === undefined ? later : [known[1]]))] as const, ...others].slice(0, 6),
    runsSince,
    ranUntil: now,
  }
}

function windowModel(algorithm: Exclude<Algorithm, { kind: 'token_bucket' }>, limit: number): Model {
  const { kind, seconds, charge } = algorithm
  let kept: Shown | undefined

  function usedOf({ counts }: Shown, nowMs: number): number {
    const [[start, count] = [0, 0]] = counts
    if (kind !== 'sliding') return count
    const previous = BigInt(Math.max(0, (counts.find(([other]) => other === start - seconds)?.[1] ?? 0) - count))
    const [length, rest] = [BigInt(seconds * 1000), BigInt((start + seconds) * 1000 - nowMs)]
    return count + Number((previous * (counts.some(([other]) => other === start - seconds) ? rest : 0n)) / length)
  }

  return {
    look: (nowMs) => usedOf(showAt(kept, algorithm, Math.floor(nowMs / 1000)), nowMs),
    hit({ addend, nowMs }) {
      const shown = showAt(kept, algorithm, Math.floor(nowMs / 1000))
      const used = usedOf(shown, nowMs)
      if (addend === 0 || (addend > 0 && charge === 'admitted' && used + addend > limit)) return used + addend
      const [open = [0, 0] as const] = shown.counts
      // A counter that is missing stays missing, and nothing is given back to a window without hits.
      const isOpen = kind !== 'sliding' && kept?.counts[0]?.[0] === open[0]
      if (addend < 0 && open[1] === 0 && !isOpen) return used
      const by = Math.max(addend, -open[1])
      // A fixed window gives back to the open window only, a sliding one to all: they have counted these hits too.
      const isAll = addend > 0 || kind === 'sliding'
      const counts = shown.counts.map(([start, count], at) => [start, count + (isAll || at === 0 ? by : 0)] as const)
      kept = { ...shown, counts }
      return usedOf(kept, nowMs)
    },
  }
}

/** Finds the start of a day by looking at every quarter of an hour, in a zone whose offset has none smaller. */
function scanStart({ zone }: { readonly zone: string }, now: number): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' })
  formats.set(zone, format)
  const date = format.format(now * 1000)
  let start = Math.floor(now / 900) * 900
  while (format.format((start - 900) * 1000) === date) start -= 900
  return start
}

const formats = new Map<string, Intl.DateTimeFormat>()

function bucketModel({ seconds, burst }: Extract<Algorithm, { kind: 'token_bucket' }>, limit: number): Model {
  const [hit, rate] = [BigInt(seconds) * 1000n, BigInt(limit)]
  const most = limit === 0 ? 0n : BigInt(burst) * hit
  let full = 0n

  function fullAt(now: bigint): bigint {
    const least = full > now ? full : now
    return least > now + most ? now + most : least
  }

  const hitsIn = (parts: bigint) => Number((parts + hit - 1n) / hit)

  return {
    look(nowMs) {
      const now = BigInt(nowMs) * rate
      return hitsIn(fullAt(now) - now)
    },
    hit({ addend, nowMs }) {
      const now = BigInt(nowMs) * rate
      const before = fullAt(now)
      const wanted = before + BigInt(addend) * hit
      const next = wanted > now ? wanted : now
      if (next > now + most) return hitsIn(before - now) + addend
      // A full bucket that nothing is taken from leaves no trace.
      if (next !== before) full = next
      return hitsIn(next - now)
    },
  }
}

/** Moves a clock: mostly by a part of a window, sometimes over several, sometimes back or far ahead. */
export function moveClock(nowMs: number, lengthMs: number, random: Random): number {
  const way = random.uniform()
  if (way < 0.3) return nowMs
  if (way < 0.8) return nowMs + Math.floor(random.uniform() * lengthMs * 0.3)
  if (way < 0.92) return nowMs + Math.floor(random.uniform() * lengthMs * 3)
  const by = random.integer(1, 12 * 3_600_000)
  return Math.max(0, nowMs + (way < 0.96 ? by : -by))
}
