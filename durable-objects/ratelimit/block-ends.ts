/** When the block behind a counter ends, so that callers do not remember a refusal for longer than it lasts. */

import type { CounterHit, Hits } from '../../src/ratelimit/ports.ts'

/** What a store knows of the blocks behind the counters of one call. */
export interface KnownBlocks {
  /** Tells whether a block may have raised the counter at this place. */
  mayBeRaised(counted: Hits, at: number): boolean
  /** Asks this deployment's keeper until when a key is blocked; Unix time in seconds, null when it is not. */
  blockedUntil(key: string): Promise<number | null>
  /** Tells whether the store has the mark of a block, of this deployment or of another, on the counter at this place. */
  isMarked(at: number): boolean | Promise<boolean>
}

/**
 * Shortens the seconds until reset of the counters that a block has raised; asks nothing when there are none.
 *
 * A mark without a block that this deployment knows of is another's, or of a block that has just ended, or of one
 * whose keeper does not answer: it may be gone the next second. A counter that only looks raised, without a mark and
 * without a block, is one of very many hits.
 *
 * @param now - Unix time in whole seconds.
 */
export function shortenToBlocks(
  hits: readonly CounterHit[],
  counted: readonly Hits[],
  now: number,
  blocks: KnownBlocks,
): Promise<readonly Hits[]> | readonly Hits[] {
  if (!counted.some((one, at) => blocks.mayBeRaised(one, at))) return counted
  return Promise.all(
    counted.map(async (one, at) => {
      const key = hits[at]?.key
      if (key === undefined || !blocks.mayBeRaised(one, at)) return one
      const known = await blocks.blockedUntil(key).catch(() => null)
      if (known === null && !(await blocks.isMarked(at))) return one
      const until = known ?? now + 1
      return { ...one, secondsUntilReset: Math.max(1, Math.min(one.secondsUntilReset, until - now)) }
    }),
  )
}
