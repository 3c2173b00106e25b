/** The limit of a counter: a key does not say its rule, and the keys that were used or refused lately have it. */

import type { CounterReading } from '#ratelimit/contract/counters.ts'
import { ask } from '../frame/api.ts'
import { type LimitLine, parseLimits } from './limits.ts'
import { readTop, spans } from './usage.ts'

const [, , , , longest] = spans

/** Reads the limits of the rule that made a key; none where it was not among the keys of the last 31 days. */
export async function readLimitsOfKey(key: string, signal: AbortSignal): Promise<readonly LimitLine[]> {
  const [{ used, refused }, text] = await Promise.all([
    readTop(longest, null, signal, { isAside: true }),
    ask<string>('ratelimit', '/ratelimit/rlconfig', { signal, isAside: true, as: 'text' }),
  ])
  const rule = [...used, ...refused].find((one) => one.key === key)?.label.rule
  return rule === undefined ? [] : parseLimits(text, []).filter((line) => line.rule === rule)
}

/** The hits that a counter has room for; null where its limit is not known. */
export function limitOf(
  { unit, algorithm = '' }: Pick<CounterReading, 'unit' | 'algorithm'>,
  limits: readonly LimitLine[],
): number | null {
  const line = limits.find((one) => one.algorithm === algorithm && (algorithm !== '' || one.unit === unit))
  return line?.limit ?? null
}
