/** Removal of what is over: at the second look, so that a clock that leapt ahead removes nothing that is still open. */

import type { Unit } from '#ratelimit/types.ts'
import { unitSeconds, units } from '#ratelimit/window.ts'

/** Time of the next look: Unix seconds, and the unit of the window; null for a block. */
export interface Expiry {
  readonly at: number
  readonly unit: Unit | null
  /** The look that found an only window over, for its second look; see `secondLookMs`. */
  readonly foundOver?: number
}

/** The windows and blocks that a look removed. */
export interface Removed {
  readonly windows: number
  readonly blocks: readonly string[]
  /** Reservations of these windows that were open: they have ended unsettled. */
  readonly unsettled: number
}

/** The result of a look that removed nothing. */
export const noneRemoved: Removed = { windows: 0, blocks: [], unsettled: 0 }

/** A counter that was removed: its key, the place of its unit in `units`, and its reservations as they were kept. */
export type RemovedRow = { key: string; unit: number; reservations: string | null }

/** One look at what is over. */
export interface Look {
  /** Unix time in whole seconds. */
  readonly now: number
  /** The most windows to remove. */
  readonly most: number
  /** Removes what belongs to a window. @returns how many of its reservations were open. */
  readonly onRemoved: (row: RemovedRow) => number
}

interface Looks {
  /** The latest one. Everything that was over then has its entry in `first`. */
  readonly latest: number
  /** By index of unit, with blocks at the end: the look that found something over; null for nothing. */
  readonly first: readonly (number | null)[]
}

const looksAt = 'looks'
const noLooks: Looks = { latest: 0, first: [] }
/** The longest wait between two looks in seconds; a clock that is ahead for longer may forget hits. */
const longestWait = 86_400
/** The place of blocks behind those of the units. */
const blockPlace = units.length
const places: readonly (Unit | null)[] = [...units, null]

/** Seconds between two looks: no window that was open at the first one is open at the second. */
export function waitBetweenLooks(unit: Unit | null): number {
  return unit === null ? longestWait : Math.min(longestWait, unitSeconds[unit])
}

/** Finds the time of the next look; undefined when nothing is stored. */
export function nextLook({ sql, kv }: DurableObjectStorage): Expiry | undefined {
  const { latest, first } = kv.get<Looks>(looksAt) ?? noLooks
  const query = `SELECT expires AS at, unit FROM
    (SELECT expires, unit FROM counters UNION ALL SELECT until, NULL FROM blocks) WHERE expires > ?
    ORDER BY expires LIMIT 1`
  const [row] = sql.exec<{ at: number; unit: number | null }>(query, latest)
  let next = row === undefined ? undefined : { at: row.at, unit: places[row.unit ?? blockPlace] ?? null }
  for (const [place, unit] of places.entries()) {
    const at = (first[place] ?? Number.POSITIVE_INFINITY) + waitBetweenLooks(unit)
    if (at < (next?.at ?? Number.POSITIVE_INFINITY)) next = { at, unit }
  }
  return next
}

/** Looks at what is over, and removes windows that were over at the look before. */
export function removeOver(storage: DurableObjectStorage, { now, most, onRemoved }: Look): Removed {
  const { sql, kv } = storage
  const looks = kv.get<Looks>(looksAt) ?? noLooks
  let windows = 0
  let unsettled = 0
  let blocks: readonly string[] = []

  // By a clock that was ahead nothing says what was over.
  const fresh = overSince(sql, looks.latest > now ? 0 : looks.latest, now)
  function lookAt(place: number, unit: Unit | null): number | null {
    const before = looks.first[place] ?? null
    if (before === null) return fresh.has(unit) ? now : null
    if (before > now) return now
    if (now - before < waitBetweenLooks(unit)) return before
    if (unit === null) blocks = removeBlocks(sql, before)
    else {
      const removed = removeWindows(sql, place, before, most - windows)
      windows += removed.length
      for (const row of removed) unsettled += onRemoved(row)
    }
    if (windows >= most) return before
    // What looks in between have found is still there.
    return fresh.has(unit) || looks.latest > before ? now : null
  }

  const first = places.map((unit, place) => lookAt(place, unit))
  kv.put(looksAt, { latest: now, first } satisfies Looks)
  return { windows, blocks, unsettled }
}

/** Units of which a window was over at the second moment and not at the first; null for a block. */
function overSince(sql: SqlStorage, first: number, second: number): ReadonlySet<Unit | null> {
  const query = `SELECT DISTINCT unit FROM counters WHERE expires > ?1 AND expires <= ?2
    UNION SELECT NULL FROM blocks WHERE until > ?1 AND until <= ?2`
  const found = sql.exec<{ unit: number | null }>(query, first, second).toArray()
  return new Set(found.map(({ unit }) => (unit === null ? null : (units[unit] ?? null))))
}

function removeWindows(sql: SqlStorage, place: number, over: number, most: number): readonly RemovedRow[] {
  const query = 'SELECT key, unit FROM counters WHERE expires <= ? AND unit = ? LIMIT ?'
  const removed = `DELETE FROM counters WHERE (key, unit) IN (${query}) RETURNING key, unit, reservations`
  return sql.exec<RemovedRow>(removed, over, place, most).toArray()
}

function removeBlocks(sql: SqlStorage, over: number): readonly string[] {
  const gone = sql.exec<{ key: string }>('DELETE FROM blocks WHERE until <= ? RETURNING key', over)
  return gone.toArray().map(({ key }) => key)
}
