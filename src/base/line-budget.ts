/** Bounds the log lines of one kind, so that requests of strangers cannot fill a log. */

/** Says of each line whether it is written. */
export interface LineBudget {
  /**
   * Takes one line.
   *
   * @param nowMs - Unix time in milliseconds.
   * @returns How many lines were left out since the last one that was written; null when this one is left out, too.
   */
  take(nowMs: number): number | null
}

/**
 * Creates a budget of so many lines in each span of time.
 *
 * @param lines - Lines that are written in one span; 1 or more.
 * @param spanMs - Milliseconds from the first line of a span to its end.
 */
export function createLineBudget(lines: number, spanMs: number): LineBudget {
  let endsAt = Number.NEGATIVE_INFINITY
  let written = 0
  let leftOut = 0
  return {
    take(nowMs) {
      if (nowMs >= endsAt) {
        endsAt = nowMs + spanMs
        written = 0
      }
      if (written >= lines) {
        leftOut += 1
        return null
      }
      written += 1
      const before = leftOut
      leftOut = 0
      return before
    },
  }
}
