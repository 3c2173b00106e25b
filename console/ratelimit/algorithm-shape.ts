/** Writes and parses the names of algorithms, such as `sliding 60`, and finds the open window of a counter. */

import type { DescriptorExplanation } from '#ratelimit/contract/explanation.ts'

const kinds = ['fixed', 'sliding', 'token_bucket', 'calendar', 'concurrency'] as const

/** An algorithm; windows of the reference are `fixed` too. */
export interface AlgorithmShape {
  readonly kind: (typeof kinds)[number]
  /** Seconds of a window, the time in which the limit flows into a bucket, or for which a holder may hold. */
  readonly seconds: number
  /** Hits that a bucket holds; 0 elsewhere. */
  readonly burst: number
  /** The time zone of a calendar; empty elsewhere. */
  readonly zone: string
  /** The hits that do not count: refused ones, or all those of a refused request; null where all count. */
  readonly free: 'admitted' | 'all_or_nothing' | null
  /** The end of reservations that are not settled in so many seconds; null where the limit takes none. */
  readonly reserve: { readonly unsettled: string; readonly seconds: number } | null
}

/** Seconds of the periods of calendars, of the longest month. */
const periods: Readonly<Record<string, number>> = { day: 86_400, week: 604_800, month: 2_678_400 }
/** A name such as `calendar month Europe/Berlin admitted unsettled refunded 600`; `Europe/Berlin` is its detail. */
const form =
  /^(fixed|sliding|token_bucket|calendar|concurrency) (\w+)(?: (?!admitted|all_or_nothing|unsettled)([\w+/-]+))?(?: (admitted|all_or_nothing))?(?: unsettled (\w+) (\d+))?$/

type Algorithm = NonNullable<DescriptorExplanation['status']['currentLimit']>['algorithm']

/** The name of an algorithm as `/rlconfig` writes it; empty for windows of the reference. */
export function nameAlgorithm(algorithm: Algorithm): string {
  if (algorithm === undefined) return ''
  const { kind, seconds, burst, period, zone, charge, reserve } = algorithm
  // A holder that is refused costs nothing by its nature.
  const free = kind === 'concurrency' || charge === 'all' ? [] : [charge]
  const end = reserve === undefined ? [] : ['unsettled', reserve.unsettled, reserve.timeToLive]
  return [kind, period ?? seconds, zone ?? burst ?? [], free, end].flat(2).join(' ')
}

/** Reads a name; null for any other text. */
export function parseShape(text: string): AlgorithmShape | null {
  const [, word, length = '', detail = '', free, unsettled, seconds] = form.exec(text) ?? []
  const kind = kinds.find((known) => known === word)
  if (kind === undefined) return null
  return {
    kind,
    seconds: periods[length] ?? Number(length),
    burst: kind === 'token_bucket' ? Number(detail) : 0,
    zone: kind === 'calendar' ? detail : '',
    free: free === 'admitted' || free === 'all_or_nothing' ? free : null,
    reserve: unsettled === undefined ? null : { unsettled, seconds: Number(seconds) },
  }
}

/** The open window of a counter in Unix seconds: aligned to the Unix epoch, or one that ends with a date of a time zone. */
export function findWindow({ kind, seconds }: AlgorithmShape, now: number, left: number) {
  if (kind !== 'calendar') {
    const start = Math.floor(now / seconds) * seconds
    return { start, end: start + seconds }
  }
  const end = Math.round(now + left)
  return { start: end - (seconds === periods.month ? monthSeconds(end) : seconds), end }
}

/** The length of the month before a moment; no zone is further than 14 hours from UTC. */
function monthSeconds(end: number): number {
  const inside = new Date((end + 14 * 3_600) * 1000)
  return new Date(Date.UTC(inside.getUTCFullYear(), inside.getUTCMonth(), 0)).getUTCDate() * 86_400
}
