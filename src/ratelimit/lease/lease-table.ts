/** Leases of one holder by counter: a bounded number, of which the one that was answered longest ago makes room. */

import type { Unit } from '../types.ts'
import { units } from '../window.ts'
import { emptyLease, type HeldLease } from './held-lease.ts'

/** A counter that leases are held of. */
export interface LeasedName {
  readonly key: string
  readonly unit: Unit
}

/** The longest key that leases are held of, in UTF-16 code units. */
const longestKey = 1_024
/** Leases that are looked at to find one to evict. */
const looksForRoom = 8

/** Makes an empty table, for leases of at most `most` counters. */
export function createLeaseTable(most: number) {
  // By unit first, so that finding a lease makes no text of key and unit.
  const leases: ReadonlyMap<Unit, Map<string, HeldLease>> = new Map(units.map((unit) => [unit, new Map()]))
  let kept = 0

  const find = ({ key, unit }: LeasedName) => leases.get(unit)?.get(key)

  /** Evicts the oldest of the first eight leases, preferring one without hits. */
  function makeRoom(): boolean {
    for (const ofUnit of leases.values()) {
      const victim = findVictim(ofUnit)
      if (victim === undefined) continue
      ofUnit.delete(victim)
      kept -= 1
      return true
    }
    return false
  }

  return {
    find,

    /** Finds a lease, or makes an empty one; undefined for a key that is too long, whose hits are counted one by one. */
    findOrAdd(name: LeasedName, nowMs: number): HeldLease | undefined {
      const known = find(name)
      if (known !== undefined) return known
      const ofUnit = leases.get(name.unit)
      if (ofUnit === undefined || name.key.length > longestKey) return undefined
      while (kept >= most && makeRoom()) {}
      const lease = emptyLease(nowMs)
      ofUnit.set(name.key, lease)
      kept += 1
      return lease
    },

    /** Puts a lease last in the order in which they make room, because its counter has answered. */
    refresh({ key, unit }: LeasedName): void {
      const ofUnit = leases.get(unit)
      const lease = ofUnit?.get(key)
      if (ofUnit === undefined || lease === undefined) return
      ofUnit.delete(key)
      ofUnit.set(key, lease)
    },

    /** Tells whether a new lease makes another one leave. */
    isFull: (): boolean => kept >= most,

    /** Visits every lease with the key and the unit of its counter. */
    each(visit: (lease: HeldLease, key: string, unit: Unit) => void): void {
      for (const [unit, ofUnit] of leases) {
        for (const [key, lease] of ofUnit) visit(lease, key, unit)
      }
    },
  }
}

/** Held leases by counter. */
export type LeaseTable = ReturnType<typeof createLeaseTable>

/** Finds the key to evict: the first without hits among the first few, else the first; undefined for an empty map. */
function findVictim(leases: ReadonlyMap<string, HeldLease>): string | undefined {
  let first: string | undefined
  let looked = 0
  for (const [key, { left }] of leases) {
    if (left === 0) return key
    first ??= key
    if (++looked >= looksForRoom) break
  }
  return first
}
