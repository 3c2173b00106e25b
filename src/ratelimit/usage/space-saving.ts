/**
 * The most frequent keys of a stream in bounded memory: the space-saving sketch of Metwally, Agrawal and El Abbadi
 * (Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005).
 */

/** One key of a sketch. Its true count lies between `count - error` and `count`. */
interface SketchEntry {
  readonly key: string
  readonly count: number
  readonly error: number
}

/**
 * Creates an empty sketch.
 *
 * Every key with more than `total / capacity` is in it. A key that is new when the sketch is full takes the place of
 * one with the least count, and inherits that count as its error.
 *
 * @param capacity - keys kept at a time, at least 1.
 */
export function createSketch(capacity: number) {
  const counted = new Map<string, { count: number; error: number }>()
  const index = createCountIndex()

  function insert(key: string, count: number, error: number): void {
    counted.set(key, { count, error })
    index.add(key, count)
  }

  function replaceLeast(key: string, count: number): string {
    const least = index.findLeast()
    counted.delete(least.key)
    index.remove(least.key, least.count)
    insert(key, least.count + count, least.count)
    return least.key
  }

  return {
    /** Adds to the count of a key; returns the key that made room for a new one, or null. */
    add(key: string, count: number): string | null {
      const known = counted.get(key)
      if (known === undefined) {
        if (counted.size >= capacity) return replaceLeast(key, count)
        insert(key, count, 0)
        return null
      }
      index.add(key, known.count + count)
      index.remove(key, known.count)
      known.count += count
      return null
    },
    /** The entries, the largest count first. */
    entries(): readonly SketchEntry[] {
      return [...counted].map(([key, { count, error }]) => ({ key, count, error })).sort(byCount)
    },
  }
}

/** Keys by their count, so that the least is found without looking at all of them. */
function createCountIndex() {
  const keysOf = new Map<number, Set<string>>()
  let least = Number.POSITIVE_INFINITY
  return {
    add(key: string, count: number): void {
      const keys = keysOf.get(count)
      if (keys === undefined) keysOf.set(count, new Set([key]))
      else keys.add(key)
      least = Math.min(least, count)
    },
    remove(key: string, count: number): void {
      const keys = keysOf.get(count)
      keys?.delete(key)
      if (keys?.size !== 0) return
      keysOf.delete(count)
      if (count === least) least = Math.min(...keysOf.keys())
    },
    /** Finds the oldest key of the least count; there must be one. */
    findLeast(): { readonly key: string; readonly count: number } {
      const [key = ''] = keysOf.get(least) ?? []
      return { key, count: least }
    },
  }
}

function byCount(one: SketchEntry, other: SketchEntry): number {
  return other.count - one.count || (one.key < other.key ? -1 : 1)
}

/** State of a sketch that is kept to be merged later. */
export interface SketchState {
  readonly entries: readonly SketchEntry[]
  readonly total: number
  readonly capacity: number
}

/** The most that a key which a sketch does not hold may have had. */
function floorOf({ entries, capacity }: SketchState): number {
  return entries.length < capacity ? 0 : (entries.at(-1)?.count ?? 0)
}

/**
 * Adds sketches of different times up.
 *
 * A key that a full sketch does not hold may have had up to the least count there: that much is added to its count
 * and to its error, so that the true count still lies between `count - error` and `count`.
 *
 * @param isWanted - tells which keys are listed; all when absent.
 * @returns the largest counts first, at most as many as the largest capacity.
 */
export function mergeSketches(
  states: readonly SketchState[],
  isWanted: (key: string) => boolean = () => true,
): readonly SketchEntry[] {
  const floors = states.map(floorOf)
  const tables = states.map(({ entries }) => new Map(entries.map((entry) => [entry.key, entry])))
  const keys = new Set(states.flatMap(({ entries }) => entries.map(({ key }) => key)))
  const merged = [...keys].filter(isWanted).map((key) => {
    let [count, error] = [0, 0]
    for (let at = 0; at < tables.length; at++) {
      const entry = tables[at]?.get(key)
      const floor = floors[at] ?? 0
      count += entry?.count ?? floor
      error += entry?.error ?? floor
    }
    return { key, count, error }
  })
  const most = Math.max(0, ...states.map(({ capacity }) => capacity))
  return merged.sort(byCount).slice(0, most)
}

/** Adds one sketch to another as `mergeSketches` does, and keeps at most `capacity` keys. */
export function joinSketches(one: SketchState, other: SketchState, capacity: number): SketchState {
  const entries = mergeSketches([one, other]).slice(0, capacity)
  // A full sketch has left keys out, so that the sum is full too, however many keys it holds.
  const isFull = floorOf(one) + floorOf(other) > 0
  return { entries, total: one.total + other.total, capacity: isFull ? entries.length : capacity }
}
