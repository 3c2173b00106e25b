/** What the ledger needs from the world: somewhere to keep sorted text. */

/** A slice of the key space: from `start` up to but not including `end`, in the order of UTF-16 code units. */
export interface KeyRange {
  readonly start: string
  readonly end: string
  /** Whether to walk from the end towards the start. */
  readonly isReverse?: boolean
}

/**
 * Sorted text by text key, read and written synchronously.
 *
 * Keys are ASCII, so every implementation sorts them alike. Entries are read lazily: a caller that stops early
 * has paid for what it read, and must stop before it writes.
 */
export interface LedgerStore {
  get(key: string): string | undefined
  put(key: string, value: string): void
  delete(key: string): void
  /** Entries of the range in key order, or in reverse. */
  list(range: KeyRange): Iterable<readonly [key: string, value: string]>
  /** Stored bytes, as the store counts them; writes that are still aside do not count. */
  size(): number
}
