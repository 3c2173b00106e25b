/** The keys that came most in an hour: two sketches of an hour in memory, resumed, written out and merged. */

import type { KeyCount, KeyLabel } from '#ratelimit/contract/usage.ts'
import { createSketch, mergeSketches, type SpaceSavingSketch, sketchState } from '#ratelimit/usage/space-saving.ts'
import type { UsageReport } from '#ratelimit/usage/types.ts'
import type { HourTops } from '../storage/usage-tops.ts'

/** Keys of each sketch of an hour. */
const topKeys = 256

/** An hour that is being counted. */
export interface Hour {
  /** Unix time in seconds. */
  readonly hour: number
  readonly used: SpaceSavingSketch
  readonly refused: SpaceSavingSketch
  readonly labels: Map<string, KeyLabel>
}

/** Begins an hour with what was last written of it, when the object was away from memory within it. */
export function resumeHour(hour: number, known: HourTops | undefined): Hour {
  const resumed: Hour = {
    hour,
    used: createSketch(topKeys),
    refused: createSketch(topKeys),
    labels: new Map(known?.labels ?? []),
  }
  for (const kind of ['used', 'refused'] as const) {
    for (const { key, count } of known?.[kind].entries ?? []) resumed[kind].add(key, count)
  }
  return resumed
}

/** Adds the keys of a report to its hour. */
export function addKeys(hour: Hour, report: UsageReport): void {
  for (const kind of ['used', 'refused'] as const) {
    for (const { key, count, label } of report[kind]) {
      hour[kind].add(key, count)
      hour.labels.set(key, label)
    }
  }
  forgetLabels(hour)
}

/** Forgets the labels of keys that neither sketch holds, when they are many. */
function forgetLabels({ used, refused, labels }: Hour): void {
  if (labels.size <= 4 * topKeys) return
  const held = new Set([used, refused].flatMap((sketch) => sketch.entries().map(({ key }) => key)))
  for (const key of labels.keys()) if (!held.has(key)) labels.delete(key)
}

/** Gives an hour as it is stored. */
export function makeTops({ hour, used, refused, labels }: Hour): HourTops {
  return { hour, used: sketchState(used, topKeys), refused: sketchState(refused, topKeys), labels: [...labels] }
}

/** Keys that came most in some hours. */
export interface TopQuery {
  readonly limit: number
  /** Keys of this domain only; of all when undefined. */
  readonly domain: string | undefined
}

/** Adds up the sketches of hours, the most frequent keys first. */
export function mergeTops(
  hours: readonly HourTops[],
  kind: 'used' | 'refused',
  { limit, domain }: TopQuery,
): readonly KeyCount[] {
  const labels = new Map(hours.flatMap((hour) => hour.labels))
  const isWanted = (key: string) => {
    const label = labels.get(key)
    return label !== undefined && (domain ?? label.domain) === label.domain
  }
  const counts = mergeSketches(
    hours.map((hour) => hour[kind]),
    isWanted,
  ).flatMap((entry) => {
    const label = labels.get(entry.key)
    return label === undefined ? [] : [{ ...entry, label }]
  })
  return counts.slice(0, limit)
}
