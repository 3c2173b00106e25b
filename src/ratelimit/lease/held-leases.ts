/** The shares of one holder by counter: a bounded number, of which the one that was answered longest ago makes room. */

import type { Unit } from '../types.ts'
import { units } from '../window.ts'
import { emptyShare, type Share } from './held-lease.ts'

/** A counter that leases are held of. */
export interface LeasedName {
  readonly key: string
  readonly unit: Unit
}

/** Shares by counter. */
export interface ShareTable {
  find(name: LeasedName): Share | undefined
  /**
   * Finds a share, or makes an empty one.
   *
   * @param nowMs - Unix milliseconds, from which its demand is measured.
   * @returns undefined for a key that is too long, whose hits are counted one by one.
   */
  findOrAdd(name: LeasedName, nowMs: number): Share | undefined
  /** Puts a share last in the order in which they make room, because its counter has answered. */
  refresh(name: LeasedName): void
  /** Tells whether a new share makes another one leave. */
  isFull(): boolean
  /** Visits every share with the key and the unit of its counter. */
  each(visit: (share: Share, key: string, unit: Unit) => void): void
}

/** The longest key that has a share, in UTF-16 code units. */
const longestKey = 1_024
/** Shares that are looked at to find one to let go of. */
const looksForRoom = 8

/**
 * Makes an empty table.
 *
 * @param most - shares that are kept, at least 1.
 */
export function createShareTable(most: number): ShareTable {
  // By unit first, so that finding a share makes no text of key and unit.
  const shares: ReadonlyMap<Unit, Map<string, Share>> = new Map(units.map((unit) => [unit, new Map()]))
  let kept = 0

  const find = ({ key, unit }: LeasedName) => shares.get(unit)?.get(key)

  /** Lets go of the oldest share, of one without hits if there is one among the first. */
  function makeRoom(): boolean {
    for (const ofUnit of shares.values()) {
      const victim = expendable(ofUnit)
      if (victim === undefined) continue
      ofUnit.delete(victim)
      kept -= 1
      return true
    }
    return false
  }

  return {
    find,

    findOrAdd(name, nowMs) {
      const known = find(name)
      if (known !== undefined) return known
      const ofUnit = shares.get(name.unit)
      if (ofUnit === undefined || name.key.length > longestKey) return undefined
      while (kept >= most && makeRoom()) {}
      const share = emptyShare(nowMs)
      ofUnit.set(name.key, share)
      kept += 1
      return share
    },

    refresh({ key, unit }) {
      const ofUnit = shares.get(unit)
      const share = ofUnit?.get(key)
      if (ofUnit === undefined || share === undefined) return
      ofUnit.delete(key)
      ofUnit.set(key, share)
    },

    isFull: () => kept >= most,

    each(visit) {
      for (const [unit, ofUnit] of shares) {
        for (const [key, share] of ofUnit) visit(share, key, unit)
      }
    },
  }
}

/** The key to let go of: the first without hits among the first few, else the first; undefined for an empty map. */
function expendable(shares: ReadonlyMap<string, Share>): string | undefined {
  let first: string | undefined
  let looked = 0
  for (const [key, { left }] of shares) {
    if (left === 0) return key
    first ??= key
    if (++looked >= looksForRoom) break
  }
  return first
}
