/** The pace of a client of a control plane (xDS), as pure rules: when it connects again, and when it refuses. */

/** Pauses between two connections. */
export interface Backoff {
  readonly initialMs: number
  readonly maxMs: number
  /** The base of the growth; 1 and below never grow. */
  readonly factor: number
  /** True to take a time between the first pause and the computed one by chance. */
  readonly hasJitter: boolean
}

/**
 * Computes the pause before connection `attempt`, as the reference does: the first pause times the factor to the power
 * of the attempt, between the first pause and the longest.
 *
 * @param attempt - 0 after a stream that brought rules, one more for each that did not.
 * @param chance - from 0 to 1.
 */
export function reconnectDelayMs(
  { initialMs, maxMs, factor, hasJitter }: Backoff,
  attempt: number,
  chance: number,
): number {
  const longestMs = Math.max(initialMs, maxMs)
  const grownMs = Math.min(Math.max(initialMs * factor ** attempt, initialMs), longestMs)
  return hasJitter ? initialMs + chance * (grownMs - initialMs) : grownMs
}

const longestRefusalMs = 10_000

/**
 * Computes the pause before a refusal. Control planes with a snapshot cache send refused rules again at once, so a
 * second refusal in a row waits a second and each further one twice as long, 10 s at most: rules that were mended in
 * between come after that pause.
 *
 * @param earlier - refusals in a row before this one.
 */
export function refusalDelayMs(earlier: number): number {
  return earlier === 0 ? 0 : Math.min(500 * 2 ** earlier, longestRefusalMs)
}
