/** The port of the ledger to its platform: a store of sorted text. */

/** A slice of the key space: from `start` up to but not including `end`, in the order of UTF-16 code units. */
export interface KeyRange {
  readonly start: string
  readonly end: string
  /** True to walk from the end towards the start. */
  readonly isReverse?: boolean
}

/**
 * Sorted text by text key, read and written synchronously. Keys are ASCII, so every implementation sorts them alike.
 * Entries are read lazily: a caller that stops early has paid for what it read, and must stop before it writes.
 */
export interface LedgerStore {
  /** The value of a key; undefined when there is none. */
  get(key: string): string | undefined
  /** Writes a value, in place of an earlier one. */
  put(key: string, value: string): void
  /** Removes a key; one that is missing is not an error. */
  delete(key: string): void
  /** Entries of the range in key order, or in reverse. */
  list(range: KeyRange): Iterable<readonly [key: string, value: string]>
  /** Stored bytes, as the store counts them; writes of an overlay count only after they are committed. */
  size(): number
}
