/** Receipts: the answers of the latest calls by their ids, in a ring in memory and a ring of batches on disk. */

import { type FirstWindow, firstWindowAt } from './first-window.ts'

/** The answer once given to a call, so that the same call sent again is answered and not counted again. */
interface Receipt {
  /** Drawn by the caller, different for every call. */
  readonly id: number
  /** For every hit in turn: the counter after it, and the seconds until its reset. */
  readonly answer: readonly number[]
}

/** Receipts kept in memory, and commits whose receipts stay on disk: more than can overlap one retry. */
const capacity = 128
/** Receipts beside an only window: some 1 kB, more than the calls of one key that a crash can leave unanswered. */
const besideWindow = 32
const prefix = 'receipts:'

/**
 * Opens the receipts of one object, with what is on disk.
 *
 * Every call of an object passes through here, so the ring is two arrays that are never reallocated: looking for an
 * id among 128 doubles costs less than keeping a map from which the oldest must be removed.
 */
export function openReceipts({ kv }: DurableObjectStorage) {
  const ids = new Float64Array(capacity).fill(Number.NaN)
  const answers: (readonly number[])[] = new Array(capacity).fill([])
  let kept = 0
  /** Receipts that are on disk, or were dropped before a write. */
  let written = 0
  let commits = 0

  function keep({ id, answer }: Receipt): void {
    ids[kept % capacity] = id
    answers[kept % capacity] = answer
    kept++
  }

  function recall(): void {
    const batches = [...kv.list<Float64Array>({ prefix })].map(([, batch]) => batch)
    batches.sort(([one = 0], [other = 0]) => one - other)
    for (const batch of batches) {
      for (const receipt of decodeReceipts(batch.subarray(1))) keep(receipt)
      commits = batch[0] ?? 0
    }
    written = kept
    const beside = kv.get<FirstWindow>(firstWindowAt)?.receipts ?? new Float64Array()
    for (const receipt of decodeReceipts(beside)) keep(receipt)
  }

  function put(packed: readonly number[]): void {
    kv.put(`${prefix}${commits % capacity}`, Float64Array.from(packed))
  }

  function pack(from: number, head: readonly number[]): readonly number[] {
    const packed = [...head]
    for (let at = Math.max(from, kept - capacity); at < kept; at++) {
      const answer = answers[at % capacity] ?? []
      packed.push(ids[at % capacity] ?? 0, answer.length, ...answer)
    }
    return packed
  }

  recall()
  return {
    /** The answer that a call got; undefined for one that is new, or too old to come again. */
    find(id: number): readonly number[] | undefined {
      const at = ids.indexOf(id)
      return at < 0 ? undefined : answers[at]
    },
    keep,
    /** Writes the receipts kept since the last time. */
    write(): void {
      if (written === kept) return
      const packed = pack(written, [++commits])
      written = kept
      put(packed)
    },
    /** Writes receipts that such a value held, and no others: their hits may not be on disk. */
    take: (packed: Float64Array): void => put([++commits, ...packed]),
    /** Packs the latest receipts for a value that holds them beside its window; `write` still writes them. */
    latest: (): Float64Array => Float64Array.from(pack(Math.max(written, kept - besideWindow), [])),
    /** Forgets those in memory, when the disk has been emptied. */
    clear(): void {
      ids.fill(Number.NaN)
      written = kept
    },
  }
}

/** The receipts of one object. */
export type Receipts = ReturnType<typeof openReceipts>

/** A batch is the number of its commit, then for every receipt its id, the length of its answer and the answer. */
function decodeReceipts(packed: Float64Array): readonly Receipt[] {
  const receipts: Receipt[] = []
  for (let from = 0; from < packed.length; ) {
    const [id = 0, length = 0] = packed.subarray(from, from + 2)
    from += 2
    receipts.push({ id, answer: [...packed.subarray(from, from + length)] })
    from += length
  }
  return receipts
}
