/** Answers of reads in this isolate's memory: bounded in bytes, each good for a while. */

/** An answer that may be given again. */
export interface KeptAnswer {
  /** UTF-8, so that it is encoded once. */
  readonly body: Uint8Array
  readonly etag: string
  /** Its Cache-Control. */
  readonly caching: string
  /** The state of the embedded node in which it was read, where it is good for that state only. */
  readonly state?: string
}

/** Answers by key. */
export interface AnswerCache {
  get(key: string, nowMs: number): KeptAnswer | undefined
  put(key: string, answer: KeptAnswer, expiresMs: number): void
}

/** How much memory the answers and their keys may take, about in bytes; an isolate has 128 MB for everything. */
const maxBytes = 16_000_000
/** The longest answer that is kept. */
const maxAnswerBytes = 1_000_000

/** Makes an empty cache; when it is full the answers that were used longest ago go first. */
export function createAnswerCache(): AnswerCache {
  const kept = new Map<string, KeptAnswer & { readonly expiresMs: number; readonly bytes: number }>()
  let bytes = 0

  function remove(key: string): void {
    bytes -= kept.get(key)?.bytes ?? 0
    kept.delete(key)
  }

  return {
    get(key, nowMs) {
      const answer = kept.get(key)
      if (answer === undefined) return undefined
      remove(key)
      if (answer.expiresMs <= nowMs) return undefined
      // Put back at the end: a map keeps the order of insertion.
      kept.set(key, answer)
      bytes += answer.bytes
      return answer
    },
    put(key, answer, expiresMs) {
      const size = key.length + answer.body.length
      if (size > maxAnswerBytes) return
      remove(key)
      kept.set(key, { ...answer, expiresMs, bytes: size })
      bytes += size
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) return
        remove(oldest)
      }
    },
  }
}
