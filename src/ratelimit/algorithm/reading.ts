/** A counter of an algorithm as an operator reads it: apart from the algorithm, whose types the library has. */

import type { CounterReading } from '../contract/counters.ts'
import type { CounterHit, Hits } from '../ports.ts'
import { algorithmText, readAlgorithmKey } from './algorithm.ts'

/** A counter of an algorithm as an operator reads it: its descriptor's key is known; none where nothing is used. */
export function readCounters({ key, unit }: CounterHit, { after, secondsUntilReset }: Hits): readonly CounterReading[] {
  const counter = readAlgorithmKey(key)
  if (counter === null || after === 0) return []
  return [{ unit, algorithm: algorithmText(counter.algorithm), hits: after, secondsUntilReset }]
}
