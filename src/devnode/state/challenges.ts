/** Challenges of a private node: each is good for one call and for thirty seconds. */

import { DevnodeError } from '../errors.ts'
import { joinKey, keysUnder } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

const challenges = 'challenge'
const lifeMs = 30_000
const maxOpen = 1000

/** Remembers a new challenge (64 hex digits), and forgets old ones; too_many_challenges when a thousand are open. */
export function issueChallenge(store: LedgerStore, challenge: string, nowMs: number): string {
  let open = 0
  for (const [key, expiry] of [...store.list(keysUnder(challenges))]) {
    if (Number(expiry) < nowMs) store.delete(key)
    else open += 1
  }
  if (open >= maxOpen) throw new DevnodeError('too_many_challenges', 'too many challenges')
  store.put(joinKey(challenges, challenge), String(nowMs + lifeMs))
  return challenge
}

/** Uses a challenge up: invalid_challenge when it is unknown, challenge_expired when it is too old. */
export function takeChallenge(store: LedgerStore, challenge: string, nowMs: number): void {
  const key = joinKey(challenges, challenge)
  const expiry = store.get(key)
  if (expiry === undefined) throw new DevnodeError('invalid_challenge', 'invalid challenge')
  store.delete(key)
  if (Number(expiry) < nowMs) throw new DevnodeError('challenge_expired', 'challenge expired')
}
