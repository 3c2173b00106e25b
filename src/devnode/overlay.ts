/** Writes set aside over a store: they are committed together or vanish together. */

import { encodeUtf8 } from '../base/utf8.ts'
import { insertionPoint } from './compare.ts'
import { sqlError } from './errors.ts'
import type { LedgerStore } from './ports.ts'

/** A store whose writes stay aside until `commit`. An entry that no store could keep is refused when it is written. */
export interface Overlay extends LedgerStore {
  /** The same entries for one-shot values (challenges, faults): writes to it survive an attempt that fails. */
  readonly lasting: LedgerStore
  /** Runs work of which nothing stays when it throws: its writes are taken back. Attempts nest. */
  attempt<T>(run: () => T): T
  /** Applies every write to the store underneath, in the order of their keys, and forgets them. */
  commit(): void
  /** The writes, with undefined for a deletion; for callers that need to know what will change. */
  changes(): ReadonlyMap<string, string | undefined>
}

/** The value before an attempt of a key that the overlay had not written. */
const unwritten = Symbol('unwritten')

/** The values that keys had in the overlay before an attempt wrote them. */
type Undo = Map<string, string | undefined | typeof unwritten>

/** Lays an overlay over a store. Reads see the writes; the store underneath sees nothing until `commit`. */
export function createOverlay(base: LedgerStore): Overlay {
  const written = new Map<string, string | undefined>()
  // Kept in order while writing: a block of a thousand transactions reads ranges between all its writes.
  const keys: string[] = []
  // Nothing is written underneath before the commit, and the platform counts pages each time it is asked.
  let size: number | undefined
  const findKey = (key: string) => insertionPoint(keys, key, (one) => one)
  let undo: Undo | undefined
  const write = (key: string, value: string | undefined) => {
    if (!written.has(key)) keys.splice(findKey(key), 0, key)
    written.set(key, value)
  }
  const note = (key: string) => {
    if (undo && !undo.has(key)) undo.set(key, written.has(key) ? written.get(key) : unwritten)
  }
  const restore = (key: string, value: string | undefined | typeof unwritten) => {
    if (value !== unwritten) written.set(key, value)
    else if (written.delete(key)) keys.splice(findKey(key), 1)
  }
  const lasting: LedgerStore = {
    get: (key) => (written.has(key) ? written.get(key) : base.get(key)),
    put(key, value) {
      assertSize(key, value)
      write(key, value)
    },
    delete: (key) => write(key, undefined),
    list(range) {
      const inside = keys.slice(findKey(range.start), findKey(range.end))
      if (inside.length === 0) return base.list(range)
      const writes = inside.map((key): Written => [key, written.get(key)])
      if (range.isReverse === true) writes.reverse()
      return merge(base.list(range), writes, range.isReverse === true)
    },
    size() {
      size ??= base.size()
      return size
    },
  }
  return {
    ...lasting,
    lasting,
    put(key, value) {
      note(key)
      lasting.put(key, value)
    },
    delete(key) {
      note(key)
      lasting.delete(key)
    },
    attempt(run) {
      const outer = undo
      const own: Undo = new Map()
      undo = own
      try {
        const result = run()
        // The attempt around this one takes these writes back, too.
        for (const [key, before] of own) if (outer && !outer.has(key)) outer.set(key, before)
        return result
      } catch (error) {
        for (const [key, before] of own) restore(key, before)
        throw error
      } finally {
        undo = outer
      }
    },
    commit() {
      for (const key of keys) {
        const value = written.get(key)
        if (value === undefined) base.delete(key)
        else base.put(key, value)
      }
      written.clear()
      keys.length = 0
      size = undefined
    },
    changes: () => written,
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
