/** Readings of counters for operators, apart from the algorithms, which the published client has as well. */

import type { CounterReading } from '../contract/counters.ts'
import type { CounterHit } from '../ports.ts'
import { algorithmText, readAlgorithmKey } from './algorithm-key.ts'
import type { CountedHit } from './count-hit.ts'

/** Describes a counter of an algorithm by its unit and algorithm; empty where nothing is used. */
export function readCounters(
  { key, unit }: CounterHit,
  { after, secondsUntilReset, outstanding = 0 }: Pick<CountedHit, 'after' | 'secondsUntilReset' | 'outstanding'>,
): readonly CounterReading[] {
  const counter = readAlgorithmKey(key)
  if (counter === null || (after === 0 && outstanding === 0)) return []
  const reading = { unit, algorithm: algorithmText(counter.algorithm), hits: after, secondsUntilReset }
  return [outstanding > 0 ? { ...reading, outstanding } : reading]
}
