/** Orders of values, and the search in a sorted list. */

/** The order of numbers, and of text by its UTF-16 code units, which of ASCII is the network's order too. */
export function compare<T extends string | bigint | number>(left: T, right: T): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/** The order of text, null last. */
export function compareNullable(left: string | null, right: string | null): number {
  if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1
  return compare(left, right)
}

/** The position of the first entry of a sorted list whose key is not before another. */
export function insertionPoint<T>(sorted: readonly T[], key: string, keyOf: (entry: T) => string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    // Between two positions of the list there is an entry.
    if (keyOf(sorted[middle] as T) < key) low = middle + 1
    else high = middle
  }
  return low
}
