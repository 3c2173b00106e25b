/** Parses the names of algorithms, such as `sliding 60`, and finds the open window of a counter. */

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
  /** True where refused hits do not count. */
  readonly isRefusedFree: boolean
  /** The end of reservations that are not settled in so many seconds; null where the limit takes none. */
  readonly reserve: { readonly unsettled: string; readonly seconds: number } | null
}

/** Seconds of the periods of calendars, of the longest month. */
const periods: Readonly<Record<string, number>> = { day: 86_400, week: 604_800, month: 2_678_400 }
/** A name such as `calendar month Europe/Berlin admitted unsettled refunded 600`; `Europe/Berlin` is its detail. */
const form =
  /^(fixed|sliding|token_bucket|calendar|concurrency) (\w+)(?: (?!admitted|all_or_nothing|unsettled)([\w+/-]+))?( admitted| all_or_nothing)?(?: unsettled (\w+) (\d+))?$/

/** Reads a name; null for any other text. */
export function parseShape(text: string): AlgorithmShape | null {
  const [, word, length = '', detail = '', admitted, unsettled, seconds] = form.exec(text) ?? []
  const kind = kinds.find((known) => known === word)
  if (kind === undefined) return null
  return {
    kind,
    seconds: periods[length] ?? Number(length),
    burst: kind === 'token_bucket' ? Number(detail) : 0,
    zone: kind === 'calendar' ? detail : '',
    isRefusedFree: admitted !== undefined,
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
