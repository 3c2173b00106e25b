/** Windows ahead of their counts, kept in the isolate: an object that is not called for ten seconds is evicted. */

import { type DiskRow, isOfRow, isWorthKeeping, type StoredWindow } from '#ratelimit/durability/stored-window.ts'

/** Windows of one object, with their counts and steps. */
export type KeptWindows = ReturnType<typeof keptWindows>

/** Windows that an isolate keeps, in some 4 MiB; the one that was kept first is forgotten beyond it. */
export const maxKeptWindows = 10_000

const kept = new Map<string, StoredWindow>()
let isolate: number | undefined

/** The number of this isolate, which its rows carry: drawn once, because chance is not allowed while it loads. */
export function isolateNumber(): number {
  isolate ??= Math.random()
  return isolate
}

/**
 * Finds the windows of one object as its instances in this isolate left them.
 *
 * They are right only for a row that this isolate wrote last: hits in another isolate write a row before their answer.
 */
export function keptWindows(object: string) {
  const placeOf = (name: string) => `${object} ${name}`
  return {
    /** Keeps a window for the next instance while that would go on from it in another way than from its row. */
    keep(name: string, stored: StoredWindow): void {
      const place = placeOf(name)
      if (!isWorthKeeping(stored)) return void kept.delete(place)
      kept.set(place, stored)
      if (kept.size <= maxKeptWindows) return
      for (const oldest of kept.keys()) return void kept.delete(oldest)
    },
    /** Finds the window of a row that this isolate wrote; undefined for none, or when the row has changed. */
    find(name: string, row: DiskRow): StoredWindow | undefined {
      const stored = kept.get(placeOf(name))
      return stored !== undefined && isOfRow(stored, row) ? stored : undefined
    },
    forget: (name: string): void => void kept.delete(placeOf(name)),
  }
}
