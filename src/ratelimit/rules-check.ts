/** The times at which a holder of rules, an isolate or a front, asks whether there are newer ones: each question is a paid call. */

/** Milliseconds since the last check after which a holder that decides much asks again. */
const busyMs = 1_000
/** Decisions since the last check that make a holder one that decides much: the price of a check is a tenth of theirs. */
const busyDecisions = 10

/**
 * Computes how due a check is, so that few decisions share one and many are never made by rules of more than a second.
 *
 * @param ageMs - milliseconds since the last check.
 * @param decisions - number of decisions since then.
 * @param mostMs - milliseconds that a check may be old, RULES_MAX_STALENESS.
 * @returns from 0.5 on a check is made behind the decision, from 1 on before it.
 */
export function checkDue(ageMs: number, decisions: number, mostMs: number): number {
  if (ageMs >= mostMs) return 1
  return Math.max(ageMs / mostMs, Math.min(ageMs / busyMs, decisions / busyDecisions))
}
