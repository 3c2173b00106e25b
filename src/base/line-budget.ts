/** Bounds the log lines of one kind, so that requests of strangers cannot fill a log. */

/** Creates a budget of so many lines in each span of milliseconds, which begins with its first line. */
export function createLineBudget(lines: number, spanMs: number) {
  let endsAt = Number.NEGATIVE_INFINITY
  let written = 0
  let leftOut = 0
  return {
    /** Takes one line: how many were left out since the last one, or null when this one is left out too. */
    take(nowMs: number): number | null {
      // Also when the clock was set back: it would be silent until that moment comes again.
      if (nowMs >= endsAt || nowMs < endsAt - spanMs) {
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
