/** Restarts of a runtime that ends, and the pauses before them. */

/** A runtime that lived this long in milliseconds was well; what ended before counts no more. */
export const healthyAfterMs = 60_000

/** After so many ends in a row, none of a healthy runtime, it is not started again. */
export const maxQuickEnds = 5

/** Decision after an end: start again after a pause, or give up. */
export type Restart =
  | { readonly kind: 'restart'; readonly afterMs: number; readonly quickEnds: number }
  | { readonly kind: 'give up'; readonly quickEnds: number }

/**
 * Decides about a runtime that has ended: the pause doubles from 100 ms with every quick end.
 *
 * @param quickEnds - ends before this one that followed too soon on their start.
 * @param livedMs - from its start to its end, in milliseconds.
 */
export function decideRestart(quickEnds: number, livedMs: number): Restart {
  const counted = livedMs >= healthyAfterMs ? 1 : quickEnds + 1
  if (counted >= maxQuickEnds) return { kind: 'give up', quickEnds: counted }
  return { kind: 'restart', afterMs: 100 * 2 ** (counted - 1), quickEnds: counted }
}
