/** When the block behind a counter ends, so that nobody remembers a refusal for longer than it lasts. */

import type { CounterHit, Hits } from '../src/ratelimit/ports.ts'
import { isRaised } from '../src/ratelimit/store-block.ts'

/** Milliseconds that an answer is used again (never: a block may be shortened right after), and how many are held. */
const answers = { lifeMs: 0, most: 1_000 }

/** Shortens the seconds until reset of the counters that a block has raised; asks nothing when there is none. */
export type ShortenToBlocks = (
  hits: readonly CounterHit[],
  counted: readonly Hits[],
  now: number,
) => Promise<readonly Hits[]> | readonly Hits[]

/**
 * Makes the look-up of one pool member. Where the keeper knows of no block, or does not answer, the refusal is good
 * for a second.
 *
 * @param raise - what a block adds to a counter.
 * @param ask - asks the keeper until when a key is blocked, Unix time in seconds.
 */
export function blockEnds(raise: number, ask: (key: string) => Promise<number | null>): ShortenToBlocks {
  const known = new Map<string, { readonly until: Promise<number | null>; readonly askedAtMs: number }>()

  function untilOf(key: string): Promise<number | null> {
    const answer = known.get(key)
    if (answer !== undefined && Date.now() - answer.askedAtMs < answers.lifeMs) return answer.until
    if (known.size >= answers.most) known.clear()
    const until = ask(key).catch(() => null)
    known.set(key, { until, askedAtMs: Date.now() })
    return until
  }

  return (hits, counted, now) => {
    if (!counted.some(({ after }) => isRaised(after, raise))) return counted
    return Promise.all(
      counted.map(async (one, at) => {
        const key = hits[at]?.key
        if (key === undefined || !isRaised(one.after, raise)) return one
        // A block that has just ended, or that somebody else keeps, may be gone the next second.
        const until = (await untilOf(key)) ?? now + 1
        return { ...one, secondsUntilReset: Math.max(1, Math.min(one.secondsUntilReset, until - now)) }
      }),
    )
  }
}
