/** The windows of one object in memory and on disk: found, kept and forgotten by their names. */

import type { Window } from '#ratelimit/counter.ts'
import {
  type CounterName,
  type CounterRow,
  type HitContext,
  memoryWindow,
  readWindow,
  storeHit,
} from '#ratelimit/durability/stored-window.ts'
import { residentWindows } from './resident.ts'
import { type CommitOptions, windowCommits } from './window-commits.ts'

/** Opens the windows of one object; a limit that is not known makes the disk hold the count itself. */
export function durableWindows(options: CommitOptions) {
  const { tables, durability, kept } = options
  const held = residentWindows()
  const commits = windowCommits(held, options)

  return {
    find(name: string, place: CounterName, now: number): Window | undefined {
      const known = held.find(name)
      if (known !== undefined) return known?.window
      if (place.unit === 'SECOND') return undefined
      const row = tables.row(place)
      if (row === undefined) {
        held.keep(name, null, now)
        return undefined
      }
      const next = (row.isOwn ? kept.find(name, row) : undefined) ?? readWindow(row)
      held.keep(name, next, now)
      return next.window
    },
    keep(name: string, row: CounterRow, { limit, nowMs, scale }: HitContext): void {
      const now = Math.floor(nowMs / 1000)
      if (row.unit === 'SECOND') held.keep(name, memoryWindow(row), now)
      else {
        const next = storeHit(held.find(name), row, { limit, nowMs, durability, scale })
        held.keep(name, next, now)
        commits.track(name, next)
      }
    },
    covered: commits.covered,
    stored: commits.stored,
    isSaved: commits.isSaved,
    forget(name: string): void {
      held.forget(name)
      kept.forget(name)
      commits.forget(name)
    },
    /** Lets go of everything that is over at `now`, Unix time in seconds. */
    forgetExpired: (now: number): void => held.forgetExpired(now),
  }
}
