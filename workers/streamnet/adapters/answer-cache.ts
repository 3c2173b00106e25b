/** Answers of reads in this isolate's memory: bounded in bytes, each with a time at which it goes. */

/**
 * The time for which an answer holds.
 *
 * - `permanent`: for good
 * - `minute`: a minute, though it may change before
 * - `block`: until the next block
 * - `state`: until something is written to the embedded node
 */
export type Term = 'permanent' | 'minute' | 'block' | 'state'

/** An answer that may be given again. */
export interface StoredAnswer {
  /** UTF-8, so that it is encoded once. */
  readonly body: Uint8Array
  readonly etag: string
  readonly term: Term
  /** The state of the embedded node for which it holds, with the term `state`. */
  readonly state?: string
}

/** Answers by key. */
export interface AnswerCache {
  get(key: string, nowMs: number): StoredAnswer | undefined
  put(key: string, answer: StoredAnswer, expiresMs: number): void
}

/** The bytes that the answers and their keys may take; an isolate has 128 MB for everything. */
const maxBytes = 16_000_000
/** The longest answer that is stored. */
const maxAnswerBytes = 1_000_000

/** Makes an empty cache; when it is full the answers that were used longest ago go first. */
export function createAnswerCache(): AnswerCache {
  const stored = new Map<string, StoredAnswer & { readonly expiresMs: number; readonly bytes: number }>()
  let bytes = 0

  function remove(key: string): void {
    bytes -= stored.get(key)?.bytes ?? 0
    stored.delete(key)
  }

  return {
    get(key, nowMs) {
      const answer = stored.get(key)
      if (answer === undefined) return undefined
      remove(key)
      if (answer.expiresMs <= nowMs) return undefined
      // Put back at the end: a map keeps the order of insertion.
      stored.set(key, answer)
      bytes += answer.bytes
      return answer
    },
    put(key, answer, expiresMs) {
      const size = key.length + answer.body.length
      if (size > maxAnswerBytes) return
      remove(key)
      stored.set(key, { ...answer, expiresMs, bytes: size })
      bytes += size
      for (const oldest of stored.keys()) {
        if (bytes <= maxBytes) return
        remove(oldest)
      }
    },
  }
}
