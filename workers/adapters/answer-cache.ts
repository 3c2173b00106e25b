/** Answers of reads in this isolate's memory: bounded in bytes, each good for a while. */

/** An answer that may be given again. */
export interface KeptAnswer {
  readonly body: string
  readonly etag: string
}

/** Answers by key. */
export interface AnswerCache {
  get(key: string, nowMs: number): KeptAnswer | undefined
  put(key: string, answer: KeptAnswer, expiresMs: number): void
}

/** About how much memory the answers may take, in UTF-16 units; an isolate has 128 MB for everything. */
const maxUnits = 8_000_000
/** The longest answer that is kept. */
const maxAnswerUnits = 1_000_000

/** Makes an empty cache; when it is full the answers that were used longest ago go first. */
export function createAnswerCache(): AnswerCache {
  const kept = new Map<string, KeptAnswer & { readonly expiresMs: number; readonly units: number }>()
  let units = 0

  function remove(key: string): void {
    units -= kept.get(key)?.units ?? 0
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
      units += answer.units
      return answer
    },
    put(key, answer, expiresMs) {
      const size = key.length + answer.body.length
      if (size > maxAnswerUnits) return
      remove(key)
      kept.set(key, { ...answer, expiresMs, units: size })
      units += size
      for (const oldest of kept.keys()) {
        if (units <= maxUnits) return
        remove(oldest)
      }
    },
  }
}
