/** A list of bounded length that forgets its oldest items. */

/** Items in arrival order, at most `capacity` of them; `start` is where the oldest lies in `items`. */
export interface Ring<T> {
  readonly capacity: number
  readonly items: T[]
  start: number
  /** Number of items ever pushed. */
  pushed: number
}

/** Makes an empty ring of a capacity of at least one. */
export function createRing<T>(capacity: number): Ring<T> {
  return { capacity, items: [], start: 0, pushed: 0 }
}

/** Appends an item in constant time; returns the one that was forgotten for it, if any. */
export function pushRing<T>(ring: Ring<T>, item: T): T | undefined {
  ring.pushed += 1
  if (ring.items.length < ring.capacity) {
    ring.items.push(item)
    return undefined
  }
  const forgotten = ring.items[ring.start]
  ring.items[ring.start] = item
  ring.start = (ring.start + 1) % ring.capacity
  return forgotten
}

/** Lists the retained items from oldest to newest in a new array. */
export function listRing<T>(ring: Ring<T>): T[] {
  if (ring.start === 0) return ring.items.slice()
  return ring.items.slice(ring.start).concat(ring.items.slice(0, ring.start))
}

/** The lifetime number of the oldest retained item, counted from zero. */
export function firstRetained(ring: Ring<unknown>): number {
  return ring.pushed - ring.items.length
}
