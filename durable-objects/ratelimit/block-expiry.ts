/** The wait of a blocked key: to the end of its block, and of the window of a counter that is over. */

import type { CounterHit, Hits } from '#ratelimit/ports.ts'

/** Blocks behind the counters of one call, as far as a store knows them. */
export interface KnownBlocks {
  /** Tells whether a block may have raised the counter at this place. */
  mayBeRaised(counted: Hits, at: number): boolean
  /** Asks this deployment's keeper until when a key is blocked; Unix time in seconds, null when it is not. */
  blockedUntil(key: string): Promise<number | null>
  /** Tells whether the counter at this place is over its limit without the block. */
  isOver(counted: Hits, at: number): boolean
  /** Tells whether a block, of this deployment or of another, raised the counter at this place, by its state now. */
  wasRaised(at: number): boolean | Promise<boolean>
}

/** The wait of a blocked key in seconds, for which callers may remember a refusal. */
export function waitForBlock(blockedFor: number, secondsUntilReset: number, isOver: boolean): number {
  return isOver ? Math.max(blockedFor, secondsUntilReset) : blockedFor
}

/**
 * Gives the counters that a block has raised the seconds until their hits may pass again; asks nothing when there are
 * none.
 *
 * A raised counter without a block that this deployment knows of may belong to another deployment, to a block that has
 * just ended or to a keeper that does not answer: the block is taken to end within a second. A counter that looks raised
 * and was not has very many hits.
 *
 * @param now - Unix time in whole seconds.
 */
export function withBlockExpiry(
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
      if (known === null && !(await blocks.wasRaised(at))) return one
      const until = known ?? now + 1
      const wait = waitForBlock(Math.max(1, until - now), one.secondsUntilReset, blocks.isOver(one, at))
      return { ...one, secondsUntilReset: wait }
    }),
  )
}
