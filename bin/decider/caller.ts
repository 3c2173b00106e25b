/** Caller of a decision in the front, where CALLER_TOKENS asks for a token. */

import { timingSafeEqual } from 'node:crypto'
import { unauthenticated } from '#ratelimit/caller-tokens.ts'
import { serviceStats } from '#ratelimit/statistics/names.ts'
import type { ReadyDecider } from './decider.ts'

/** Finds a caller's name in constant time, null where callers need no token; unauthenticated is counted. */
export function findFrontCaller(
  authorization: string | undefined,
  { settings, stats }: Pick<ReadyDecider, 'settings' | 'stats'>,
): string | null {
  const { CALLER_TOKENS: tokens } = settings
  if (tokens.size === 0) return null
  const presented = Buffer.from(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '')
  let found: string | null = null
  for (const [name, token] of tokens) if (isSame(presented, Buffer.from(token))) found = name
  if (found !== null) return found
  stats.record([{ name: serviceStats.unauthenticated, delta: 1 }])
  throw unauthenticated(authorization !== undefined)
}

function isSame(presented: Buffer, expected: Buffer): boolean {
  const isSameLength = presented.length === expected.length
  return timingSafeEqual(isSameLength ? presented : expected, expected) && isSameLength
}
