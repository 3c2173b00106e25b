/** Writes set aside over a store: they are committed together or vanish together. */

import { encodeUtf8 } from '../base/utf8.ts'
import { sqlError } from './errors.ts'
import { createSortedMap, type SortedMap } from './memory/sorted-map.ts'
import type { LedgerStore } from './ports.ts'

/** A store whose writes stay aside until `commit`. An entry that no store could keep is refused when it is written. */
export interface Overlay extends LedgerStore {
  /** The same entries for one-shot values (challenges, faults): writes to it survive an attempt that fails. */
  readonly lasting: LedgerStore
  /** Runs work of which nothing stays when it throws: its writes are taken back. Attempts nest. */
  attempt<T>(run: () => T): T
  /** Applies every write to the store underneath, those of `isFirst` first, and forgets them. */
  commit(isFirst?: (key: string) => boolean): void
  /** The writes, with undefined for a deletion; for callers that need to know what will change. */
  changes(): ReadonlyMap<string, string | undefined>
}

/** Writes by key, undefined for a deletion. Ordered: a block of a thousand transactions reads ranges between them. */
type Writes = SortedMap<string | undefined>

/** Lays an overlay over a store. Reads see the writes; the store underneath sees nothing until `commit`. */
export function createOverlay(base: LedgerStore): Overlay {
  const writes: Writes = createSortedMap()
  const attempts = createAttempts(writes)
  // Nothing is written underneath before the commit, and the platform counts pages each time it is asked.
  let size: number | undefined
  const lasting: LedgerStore = {
    ...withWrites(base, writes),
    size() {
      size ??= base.size()
      return size
    },
  }
  return {
    ...lasting,
    lasting,
    put(key, value) {
      attempts.note(key)
      lasting.put(key, value)
    },
    delete(key) {
      attempts.note(key)
      lasting.delete(key)
    },
    attempt: attempts.run,
    commit(isFirst = () => false) {
      for (const key of writes.keys().sort((left, right) => Number(isFirst(right)) - Number(isFirst(left)))) {
        const value = writes.values.get(key)
        if (value === undefined) base.delete(key)
        else base.put(key, value)
      }
      writes.clear()
      size = undefined
    },
    changes: () => writes.values,
  }
}

/** The entries of a store as if writes had been made to it. */
function withWrites(base: LedgerStore, writes: Writes): Omit<LedgerStore, 'size'> {
  const { values } = writes
  return {
    get: (key) => (values.has(key) ? values.get(key) : base.get(key)),
    put(key, value) {
      assertSize(key, value)
      writes.set(key, value)
    },
    delete: (key) => writes.set(key, undefined),
    list(range) {
      const inside = writes.keys(range.start, range.end)
      if (inside.length === 0) return base.list(range)
      const above = inside.map((key): Written => [key, values.get(key)])
      if (range.isReverse === true) above.reverse()
      return merge(base.list(range), above, range.isReverse === true)
    },
  }
}

/** The value before an attempt of a key that the overlay had not written. */
const unwritten = Symbol('unwritten')

/** The values that keys had in the overlay before an attempt wrote them. */
type Undo = Map<string, string | undefined | typeof unwritten>

/** Makes attempts: each notes the value of a key before it writes it, and takes its writes back when it throws. */
function createAttempts(writes: Writes) {
  const { values } = writes
  let undo: Undo | undefined
  return {
    note(key: string): void {
      if (undo && !undo.has(key)) undo.set(key, values.has(key) ? values.get(key) : unwritten)
    },
    run<T>(work: () => T): T {
      const outer = undo
      const own: Undo = new Map()
      undo = own
      try {
        const result = work()
        // The attempt around this one takes these writes back, too.
        for (const [key, before] of own) if (outer && !outer.has(key)) outer.set(key, before)
        return result
      } catch (error) {
        for (const [key, before] of own) {
          if (before === unwritten) writes.delete(key)
          else writes.set(key, before)
        }
        throw error
      } finally {
        undo = outer
      }
    },
  }
}

/** Characters that fit as UTF-8 even at three bytes each; only longer texts need their bytes counted. */
const surelySmall = 600_000
/** The bytes of a key and its value: a row may have 2 MB, the platform's own bytes included. */
const maxBytes = 1_900_000

function assertSize(key: string, value: string): void {
  if (key.length + value.length <= surelySmall) return
  if (encodeUtf8(key).length + encodeUtf8(value).length > maxBytes) throw sqlError('row is too big', '54000')
}

type Written = readonly [key: string, value: string | undefined]

function* merge(
  below: Iterable<readonly [string, string]>,
  above: readonly Written[],
  isReverse: boolean,
): Generator<readonly [string, string]> {
  let next = 0
  const isBefore = (left: string, right: string) => (isReverse ? left > right : left < right)
  for (const entry of below) {
    for (let write = above[next]; write !== undefined && isBefore(write[0], entry[0]); write = above[++next]) {
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
