/** The keys that came most in an hour: two sketches of an hour in memory, resumed, written out and merged. */

import type { KeyCount, KeyLabel } from '#ratelimit/contract/usage.ts'
import { usageBounds } from '#ratelimit/usage/bounds.ts'
import { joinSketches, mergeSketches, type SketchState } from '#ratelimit/usage/space-saving.ts'
import type { UsageReport } from '#ratelimit/usage/types.ts'
import type { RecentUsage } from '../storage/recent-usage.ts'
import type { UsageTables } from '../storage/usage.ts'
import type { HourTops } from '../storage/usage-tops.ts'

/** Keys of each sketch of an hour. */
const topKeys = 256

interface Hour extends Omit<HourTops, 'labels'> {
  readonly labels: Map<string, KeyLabel>
}

/** Opens the hours: the running one in memory, those before it in the tables. */
export function runningHours(tables: UsageTables, recent: RecentUsage) {
  let current: Hour | undefined

  const tops = () => (current === undefined ? null : makeTops(current))

  /** Gives the hour of a moment; the one before it is written to the tables. */
  function enterHour(nowMs: number): Hour {
    const hour = Math.floor(nowMs / 3_600_000) * 3_600
    if (current?.hour === hour) return current
    const restored = current === undefined ? recent.findRestoredTops(hour) : undefined
    if (restored === undefined) recent.flush(tops(), nowMs)
    current = resumeHour(hour, restored ?? tables.tops(hour).find((one) => one.hour === hour))
    return current
  }

  return {
    /** Adds the keys of a report to the hour of a moment in Unix milliseconds. */
    add(report: UsageReport, nowMs: number): void {
      current = addKeys(enterHour(nowMs), report)
    },
    /** The sketches of the running hour; null before the first report. */
    tops,
    /** The sketches from an hour on, Unix time in seconds, the running one included. */
    topsFrom(hour: number): readonly HourTops[] {
      const kept = tables.tops(hour).filter((one) => one.hour !== current?.hour)
      return current === undefined || current.hour < hour ? kept : [...kept, makeTops(current)]
    },
  }
}

const noKeys: SketchState = { entries: [], total: 0, capacity: topKeys }

/** Begins an hour with what was last written of it, when the object was away from memory within it. */
function resumeHour(hour: number, { used, refused, labels }: Partial<HourTops> = {}): Hour {
  return { hour, used: used ?? noKeys, refused: refused ?? noKeys, labels: new Map(labels) }
}

function addKeys(hour: Hour, { used, refused }: UsageReport): Hour {
  for (const { key, label } of [...used, ...refused]) hour.labels.set(key, label)
  const added = { ...hour, used: addReported(hour.used, used), refused: addReported(hour.refused, refused) }
  forgetLabels(added)
  return added
}

function addReported(sketch: SketchState, reported: readonly KeyCount[]): SketchState {
  if (reported.length === 0) return sketch
  const entries = reported.map(({ key, count, error }) => ({ key, count, error }))
  const total = reported.reduce((sum, { count }) => sum + count, 0)
  return joinSketches(sketch, { entries, total, capacity: usageBounds.keys }, topKeys)
}

/** Forgets the labels of keys that neither sketch holds, when they are many. */
function forgetLabels({ used, refused, labels }: Hour): void {
  if (labels.size <= 4 * topKeys) return
  const held = new Set([used, refused].flatMap((sketch) => sketch.entries.map(({ key }) => key)))
  for (const key of labels.keys()) if (!held.has(key)) labels.delete(key)
}

function makeTops({ labels, ...sketches }: Hour): HourTops {
  return { ...sketches, labels: [...labels] }
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
