/** Probe of an object's storage: a deployment that cannot write is not healthy. */

import type { RatelimitEnv } from '#objects/ratelimit/env.ts'
import { ruleBook } from './rule-book-cache.ts'

/** Time for which a result is kept, in milliseconds: health is asked often and by anyone, and a probe is a write. */
const heldMs = 5_000

/** The last outcome; "no failure" until the first probe. */
const last = { atMs: Number.NEGATIVE_INFINITY, failure: null as Error | null }

/**
 * Makes an object write, at most once in five seconds for each isolate. A caller that asks while a probe is under way gets
 * the outcome before it, since no request may wait for another one's.
 *
 * @throws Error of the platform when the storage takes nothing, for example because the disk is full.
 */
export async function assertStorage(env: RatelimitEnv): Promise<void> {
  const nowMs = Date.now()
  // A clock that was set back must not keep an old outcome.
  if (Math.abs(nowMs - last.atMs) >= heldMs) {
    last.atMs = nowMs
    last.failure = await ruleBook(env)
      .probe()
      .then(
        () => null,
        (error) => (error instanceof Error ? error : new Error(String(error))),
      )
  }
  if (last.failure !== null) throw last.failure
}
