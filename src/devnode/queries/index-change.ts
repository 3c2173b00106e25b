/** The change of an index over an interval, in percent. */

import { percentInEngine, subtractInEngine } from '../numeric.ts'
import type { SeriesRow } from './window.ts'

/**
 * Compares every row with the latest previous row at or before its time minus the interval.
 *
 * Rows without a previous one, or whose previous one is 0, are left out.
 *
 * @param current - in the order of time.
 * @param previous - in the order of time, read from the first current time minus the interval on.
 * @throws DevnodeError engine_failed when a number on the way is too large.
 */
export function indexChange(
  current: readonly SeriesRow[],
  previous: readonly SeriesRow[],
  interval: bigint,
): SeriesRow[] {
  const changes: SeriesRow[] = []
  let position = 0
  for (const { time, value } of current) {
    const target = time - interval
    while ((previous[position + 1]?.time ?? target + 1n) <= target) position += 1
    const before = previous[position]
    if (before === undefined || before.time > target || before.value === 0n) continue
    changes.push({ time, value: percentInEngine(subtractInEngine(value, before.value), before.value) })
  }
  return changes
}
