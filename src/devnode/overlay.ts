/** Writes set aside over a store: they are committed together or vanish together. */

import type { KeyRange, LedgerStore } from './ports.ts'

/** A store whose writes stay aside until `commit`. */
export interface Overlay extends LedgerStore {
  /** Applies every write to the store underneath, in the order of their keys, and forgets them. */
  commit(): void
  /** What was written, with undefined for a deletion; for callers that need to know what will change. */
  changes(): ReadonlyMap<string, string | undefined>
}

/**
 * Lays an overlay over a store. Reads see the writes; the store underneath sees nothing until `commit`.
 *
 * Overlays nest: a block's overlay lies over the store, a transaction's over the block's.
 */
export function createOverlay(base: LedgerStore): Overlay {
  const written = new Map<string, string | undefined>()
  return {
    get: (key) => (written.has(key) ? written.get(key) : base.get(key)),
    put: (key, value) => void written.set(key, value),
    delete: (key) => void written.set(key, undefined),
    list: (range) => merge(base.list(range), writtenIn(written, range), range.isReverse === true),
    commit() {
      for (const [key, value] of [...written].sort(byKey)) {
        if (value === undefined) base.delete(key)
        else base.put(key, value)
      }
      written.clear()
    },
    changes: () => written,
  }
}

type Written = readonly [key: string, value: string | undefined]

function writtenIn(written: ReadonlyMap<string, string | undefined>, range: KeyRange): Written[] {
  const entries: Written[] = []
  for (const entry of written) if (entry[0] >= range.start && entry[0] < range.end) entries.push(entry)
  entries.sort(byKey)
  return range.isReverse === true ? entries.reverse() : entries
}

function byKey([left]: Written, [right]: Written): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function* merge(
  below: Iterable<readonly [string, string]>,
  above: readonly Written[],
  isReverse: boolean,
): Generator<readonly [string, string]> {
  let next = 0
  const isBefore = (left: string, right: string) => (isReverse ? left > right : left < right)
  for (const entry of below) {
    for (
      let write = above[next];
      write !== undefined && isBefore(write[0], entry[0]);
      write = above[++next]
    ) {
      if (write[1] !== undefined) yield [write[0], write[1]]
    }
    const write = above[next]
    if (write === undefined || write[0] !== entry[0]) {
      yield entry
      continue
    }
    next += 1
    if (write[1] !== undefined) yield [write[0], write[1]]
  }
  for (const [key, value] of above.slice(next)) if (value !== undefined) yield [key, value]
}
