/** Usage that a StatsObject remembers: the last minutes by second in memory, everything else on disk. */

import type { Fill, KeyCount, KeyLabel, Top, Usage, UsageRow } from '#ratelimit/contract/usage.ts'
import { cutText, mostUsageRows, type UsageStep, usageBounds } from '#ratelimit/usage/bounds.ts'
import { isFuller } from '#ratelimit/usage/fullest-counter.ts'
import { createSketch, mergeSketches, type SpaceSavingSketch, sketchState } from '#ratelimit/usage/space-saving.ts'
import type { SampledRequest, UsageCount, UsageReport } from '#ratelimit/usage/types.ts'
import type { RecentUsage } from '../storage/recent-usage.ts'
import type { UsageRange, UsageTables } from '../storage/usage.ts'
import type { HourTops } from '../storage/usage-tops.ts'

/** Seconds of the last minutes that are kept one by one. */
const keptSeconds = 150
/** Rows of seconds that are on disk too. */
const maxSavedSeconds = 500
/** Keys of each sketch of an hour. */
const topKeys = 256
/** Rules whose fullest counter is remembered. */
const maxFills = 400

/** Buckets and their length that a caller asks for. */
export interface UsageQuery extends UsageRange {
  /** Seconds of a bucket. */
  readonly step: UsageStep
}

/** Counts over time. */
export interface UsageAnswer extends Omit<Usage, 'from' | 'to'> {
  /** True when there are more rows than an answer has room for; then it has none. */
  readonly isTooLong: boolean
}

/** Keys that came most, and by how much each count may be too high. */
export type TopAnswer = Omit<Top, 'from'>

interface Hour {
  readonly hour: number
  readonly used: SpaceSavingSketch
  readonly refused: SpaceSavingSketch
  readonly labels: Map<string, KeyLabel>
}

/** Opens the memory over its tables, as an earlier instance left it. */
export function usageLedger(tables: UsageTables, recent: RecentUsage) {
  const { bornMs, seconds: knownSeconds, fills: knownFills } = recent.restored
  const seconds = new Map<number, Map<string, UsageRow>>()
  const fills = new Map(knownFills.map((fill) => [ruleName(fill), fill]))
  for (const row of knownSeconds) addSecond(seconds, { ...row, second: row.start })
  let current: Hour | undefined
  let forgottenMs = 0

  const currentTops = () => (current === undefined ? null : makeTops(current))
  const flush = (nowMs: number) => recent.flush(currentTops(), nowMs)
  const hourAt = (nowMs: number): Hour => {
    const hour = Math.floor(nowMs / 3_600_000) * 3_600
    if (current?.hour === hour) return current
    const restored = current === undefined ? recent.findRestoredTops(hour) : undefined
    if (restored === undefined) flush(nowMs)
    current = resumeHour(hour, restored ?? tables.tops(hour).find((one) => one.hour === hour))
    return current
  }
  const findSince = (step: UsageStep) => {
    const since = tables.since(step === 1 ? 60 : step)
    return since === null || step !== 1 ? since : Math.max(since, Math.floor(bornMs / 1000))
  }
  const addKeys = (report: UsageReport, nowMs: number) => {
    const hour = hourAt(nowMs)
    for (const kind of ['used', 'refused'] as const) {
      for (const { key, count, label } of report[kind]) {
        hour[kind].add(key, count)
        hour.labels.set(key, label)
      }
    }
    forgetLabels(hour)
  }
  return {
    /** @param recorded - sampled requests to keep; 0 for none. @param nowMs - Unix milliseconds. */
    add(report: UsageReport, recorded: number, nowMs: number): void {
      const now = Math.floor(nowMs / 1000)
      // A front's clock may be off: what it decided hours ahead would be kept for hours.
      const counts = report.counts.map((count) =>
        Math.abs(count.second - now) <= keptSeconds ? count : { ...count, second: now },
      )
      for (const count of counts) addSecond(seconds, count)
      for (const second of seconds.keys()) if (second < now - keptSeconds) seconds.delete(second)
      addKeys(report, nowMs)
      for (const fill of report.fills) keepFill(fills, fill, now)
      recent.add(counts, report.samples, recorded)
      if (recent.isDue(nowMs)) flush(nowMs)
      if (nowMs - forgottenMs > 60_000) {
        tables.forgetOld(now)
        forgottenMs = nowMs
      }
    },
    /** Writes what a crash would lose as one row. */
    save(): void {
      const rows = [...seconds.values()].flatMap((second) => [...second.values()])
      const firstLeft = rows.at(-maxSavedSeconds - 1)
      recent.save({
        tops: currentTops(),
        bornMs: firstLeft === undefined ? bornMs : (firstLeft.start + 1) * 1_000,
        seconds: rows.slice(-maxSavedSeconds),
        fills: [...fills.values()],
      })
    },
    isUnsaved: () => recent.isUnsaved(),
    usage({ step, ...asked }: UsageQuery, nowMs: number): UsageAnswer {
      flush(nowMs)
      const range = withKeptRule(asked)
      const rows = step === 1 ? secondRows(seconds, range) : tables.read(step, range)
      const now = nowMs / 1000
      const open = [...fills.values()].filter(
        ({ endsAt, domain }) => endsAt > now && (range.domain === undefined || domain === range.domain),
      )
      const isTooLong = rows.length > mostUsageRows
      return { step, since: findSince(step), rows: isTooLong ? [] : rows, isTooLong, fills: open }
    },
    /** @param from - Unix seconds; whole hours are added up from the one that holds it. */
    top(from: number, limit: number, domain: string | undefined, nowMs: number): TopAnswer {
      flush(nowMs)
      const fromHour = Math.floor(from / 3_600) * 3_600
      const kept = tables.tops(fromHour).filter(({ hour }) => hour !== current?.hour)
      const hours = current === undefined || current.hour < fromHour ? kept : [...kept, makeTops(current)]
      return { used: mergeTops(hours, 'used', limit, domain), refused: mergeTops(hours, 'refused', limit, domain) }
    },
    /** The sampled requests that are kept, the oldest first. */
    requests(nowMs: number): readonly SampledRequest[] {
      flush(nowMs)
      return tables.requests()
    },
  }
}

/** The range with its rule as rows have it: the end of a long name is replaced when it is counted. */
function withKeptRule(range: UsageRange): UsageRange {
  return range.rule === undefined ? range : { ...range, rule: cutText(range.rule, usageBounds.ruleText) }
}

function addSecond(seconds: Map<number, Map<string, UsageRow>>, count: UsageCount): void {
  const rows = seconds.get(count.second) ?? new Map<string, UsageRow>()
  seconds.set(count.second, rows)
  const name = ruleName(count)
  const before = rows.get(name)
  if (before === undefined && rows.size >= usageBounds.counts) return
  rows.set(name, {
    start: count.second,
    domain: count.domain,
    rule: count.rule,
    admitted: (before?.admitted ?? 0) + count.admitted,
    refused: (before?.refused ?? 0) + count.refused,
    shadow: (before?.shadow ?? 0) + count.shadow,
  })
}

function secondRows(
  seconds: ReadonlyMap<number, ReadonlyMap<string, UsageRow>>,
  { from, to, domain, rule }: UsageRange,
): readonly UsageRow[] {
  const rows: UsageRow[] = []
  for (const [second, all] of [...seconds].sort(([one], [other]) => one - other)) {
    if (second < from || second >= to) continue
    for (const row of all.values()) {
      if ((domain ?? row.domain) === row.domain && (rule ?? row.rule) === row.rule) rows.push(row)
    }
  }
  return rows
}

function ruleName({ domain, rule }: Pick<Fill, 'domain' | 'rule'>): string {
  return `${domain}\n${rule}`
}

function keepFill(fills: Map<string, Fill>, fill: Fill, now: number): void {
  const name = ruleName(fill)
  const known = fills.get(name)
  if (known === undefined && fills.size >= maxFills) {
    for (const [other, { endsAt }] of fills) if (endsAt <= now) fills.delete(other)
    if (fills.size >= maxFills) return
  }
  if (known === undefined || isFuller(fill, known, now)) fills.set(name, fill)
}

/** Labels of keys that neither sketch holds go when they are many. */
function forgetLabels({ used, refused, labels }: Hour): void {
  if (labels.size <= 4 * topKeys) return
  const held = new Set([used, refused].flatMap((sketch) => sketch.entries().map(({ key }) => key)))
  for (const key of labels.keys()) if (!held.has(key)) labels.delete(key)
}

/** The hour as it was last written, when the object was away from memory within it. */
function resumeHour(hour: number, known: HourTops | undefined): Hour {
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

function makeTops({ hour, used, refused, labels }: Hour): HourTops {
  return { hour, used: sketchState(used, topKeys), refused: sketchState(refused, topKeys), labels: [...labels] }
}

function mergeTops(
  hours: readonly HourTops[],
  kind: 'used' | 'refused',
  limit: number,
  domain: string | undefined,
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
