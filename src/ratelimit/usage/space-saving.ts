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

/** A sketch that takes counts. */
export type SpaceSavingSketch = ReturnType<typeof createSketch>

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
  /** Keys by their count, so that the least is found without looking at all of them. */
  const byCount = new Map<number, Set<string>>()
  let least = 0
  let total = 0

  const enter = (key: string, count: number) => {
    const keys = byCount.get(count)
    if (keys === undefined) byCount.set(count, new Set([key]))
    else keys.add(key)
    if (counted.size === 1 || count < least) least = count
  }
  const leave = (key: string, count: number) => {
    const keys = byCount.get(count)
    keys?.delete(key)
    if (keys?.size !== 0) return
    byCount.delete(count)
    if (count === least) least = byCount.size === 0 ? 0 : Math.min(...byCount.keys())
  }
  const insert = (key: string, count: number, error: number) => {
    counted.set(key, { count, error })
    enter(key, count)
  }
  const replaceLeast = (key: string, count: number): string => {
    const [victim = ''] = byCount.get(least) ?? []
    const inherited = least
    counted.delete(victim)
    leave(victim, inherited)
    insert(key, inherited + count, inherited)
    return victim
  }
  return {
    /** Adds to the count of a key; returns the key that made room for a new one, or null. */
    add(key: string, count: number): string | null {
      total += count
      const known = counted.get(key)
      if (known !== undefined) {
        const before = known.count
        known.count += count
        enter(key, known.count)
        leave(key, before)
        return null
      }
      if (counted.size >= capacity) return replaceLeast(key, count)
      insert(key, count, 0)
      return null
    },
    /** The entries, the largest count first. */
    entries(): readonly SketchEntry[] {
      const all = [...counted].map(([key, { count, error }]) => ({ key, count, error }))
      return all.sort((one, other) => other.count - one.count || (one.key < other.key ? -1 : 1))
    },
    /** The sum of everything that was added: no count is wrong by more than `total() / capacity`. */
    total: () => total,
  }
}

/** State of a sketch that is kept to be merged later. */
export interface SketchState {
  readonly entries: readonly SketchEntry[]
  readonly total: number
  readonly capacity: number
}

/** Keeps a sketch as plain data. */
export function sketchState(sketch: SpaceSavingSketch, capacity: number): SketchState {
  return { entries: sketch.entries(), total: sketch.total(), capacity }
}

/**
 * Adds sketches of different times up.
 *
 * A key that a full sketch does not hold may have had up to the least count there: that much is added to its count
 * and to its error, so that the true count still lies between `count - error` and `count`.
 *
 * @param isWanted - Tells which keys are listed; all when absent.
 * @returns the largest counts first, at most as many as the largest capacity.
 */
export function mergeSketches(
  states: readonly SketchState[],
  isWanted: (key: string) => boolean = () => true,
): readonly SketchEntry[] {
  const floors = states.map(({ entries, capacity }) => (entries.length < capacity ? 0 : (entries.at(-1)?.count ?? 0)))
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
  return merged.sort((one, other) => other.count - one.count || (one.key < other.key ? -1 : 1)).slice(0, most)
}
