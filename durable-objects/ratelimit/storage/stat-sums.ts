/** Sums of statistics by name in memory, with what was pushed of each and which have changed. */

import type { StatDelta } from '#ratelimit/ports.ts'
import { isUnknownDomain } from '#ratelimit/statistics/names.ts'
import { foldedName, type StatSum } from '#ratelimit/statistics/sum.ts'

/** A sum, and the part of it that was pushed. */
export type Sum = { readonly value: number; readonly pushed: number }

/** A sum with its name, as the row of recent sums has it. */
export type NamedSum = readonly [name: string, sum: Sum]

const noSum: Sum = { value: 0, pushed: 0 }

/** Makes an empty collection. */
export function statSums() {
  const sums = new Map<string, Sum>()
  const changed = new Set<string>()
  let unknownDomains = 0

  function restore(name: string, { value, pushed }: Sum): void {
    if (!sums.has(name) && isUnknownDomain(name)) unknownDomains += 1
    sums.set(name, { value, pushed })
  }

  function change(name: string, sum: Sum): void {
    restore(name, sum)
    changed.add(name)
  }

  /** Sums stop at 2^53 - 1, the largest whole number that the wire can carry exactly. */
  function addTo(name: string, delta: number): void {
    const { value, pushed } = sums.get(name) ?? noSum
    change(name, { value: Math.min(value + delta, Number.MAX_SAFE_INTEGER), pushed })
  }

  /** Tells whether a new name has room. At most a tenth of the names are of domains that no rule has. */
  function hasRoom(name: string, maxNames: number): boolean {
    return sums.size < maxNames && !(isUnknownDomain(name) && unknownDomains + 1 > maxNames / 10)
  }

  return {
    /** Enters a sum as the tables have it. */
    restore,
    /** Enters a sum that the tables lack. */
    change,
    /** Adds deltas; a name beyond `maxNames` distinct ones is folded into `foldedName`. */
    add(deltas: readonly StatDelta[], maxNames: number): void {
      for (const { name, delta } of deltas) {
        if (sums.has(name) || hasRoom(name, maxNames)) addTo(name, delta)
        else addTo(foldedName, 1)
      }
    },
    /** Every sum, by name in order. */
    list: (): readonly StatSum[] => inOrder([...sums].map(([name, { value }]) => ({ name, value }))),
    /** Reads the additions to each sum since it was last pushed; only those to which something came. */
    unpushed(): readonly StatDelta[] {
      const deltas = [...sums].map(([name, { value, pushed }]) => ({ name, delta: value - pushed }))
      return inOrder(deltas.filter(({ delta }) => delta > 0))
    },
    /** Notes that these additions have been pushed. */
    markPushed(deltas: readonly StatDelta[]): void {
      for (const { name, delta } of deltas) {
        const sum = sums.get(name)
        if (sum !== undefined) change(name, { ...sum, pushed: sum.pushed + delta })
      }
    },
    /** The sums that the tables lack. */
    changed: (): readonly NamedSum[] => [...changed].map((name) => [name, sums.get(name) ?? noSum]),
    countChanged: (): number => changed.size,
    forgetChanges: (): void => changed.clear(),
  }
}

function inOrder<T extends { readonly name: string }>(rows: readonly T[]): readonly T[] {
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1))
}
