/** Usage that a StatsObject remembers: the last minutes by second in memory, everything else on disk. */

import type { Top, Usage } from '#ratelimit/contract/usage.ts'
import { cutText, keptSeconds, mostUsageRows, type UsageStep, usageBounds } from '#ratelimit/usage/bounds.ts'
import type { SampledRequest, UsageReport } from '#ratelimit/usage/types.ts'
import type { RecentUsage } from '../storage/recent-usage.ts'
import type { UsageRange, UsageTables } from '../storage/usage.ts'
import { fullestCounters } from './fills.ts'
import { mergeTops, runningHours, type TopQuery } from './hours.ts'
import { usageSeconds } from './seconds.ts'

/** Rows of seconds that are on disk too. */
const maxSavedSeconds = 500

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

/** Opens the memory over its tables, as an earlier instance left it. */
export function usageLedger(tables: UsageTables, recent: RecentUsage) {
  const { bornMs } = recent.restored
  const seconds = usageSeconds(recent.restored.seconds)
  const fills = fullestCounters(recent.restored.fills)
  const hours = runningHours(tables, recent)
  let forgottenMs = 0

  const flush = (nowMs: number) => recent.flush(hours.tops(), nowMs)

  function findSince(step: UsageStep): number | null {
    const since = tables.since(step === 1 ? 60 : step)
    return since === null || step !== 1 ? since : Math.max(since, Math.floor(bornMs / 1000))
  }

  function forgetOld(nowMs: number): void {
    if (nowMs - forgottenMs <= 60_000) return
    tables.forgetOld(Math.floor(nowMs / 1000))
    forgottenMs = nowMs
  }

  return {
    /** @param recorded - sampled requests to keep; 0 for none. @param nowMs - Unix milliseconds. */
    add(report: UsageReport, recorded: number, nowMs: number): void {
      const now = Math.floor(nowMs / 1000)
      // A front's clock may be off: what it decided hours ahead would be kept for hours.
      const counts = report.counts.map((count) =>
        Math.abs(count.second - now) <= keptSeconds[1] ? count : { ...count, second: now },
      )
      seconds.add(counts, now)
      hours.add(report, nowMs)
      fills.add(report.fills, now)
      recent.add(counts, report.samples, recorded)
      if (recent.isDue(nowMs)) flush(nowMs)
      forgetOld(nowMs)
    },
    /** Writes what a crash would lose as one row. */
    save(): void {
      const rows = seconds.list()
      const firstLeft = rows.at(-maxSavedSeconds - 1)
      recent.save({
        tops: hours.tops(),
        bornMs: firstLeft === undefined ? bornMs : (firstLeft.start + 1) * 1_000,
        seconds: rows.slice(-maxSavedSeconds),
        fills: fills.list(),
      })
    },
    isUnsaved: () => recent.isUnsaved(),
    usage({ step, ...asked }: UsageQuery, nowMs: number): UsageAnswer {
      flush(nowMs)
      const range = withKeptRule(asked)
      const rows = step === 1 ? seconds.read(range) : tables.read(step, range)
      const isTooLong = rows.length > mostUsageRows
      const open = fills.open(nowMs / 1000, range.domain)
      return { step, since: findSince(step), rows: isTooLong ? [] : rows, isTooLong, fills: open }
    },
    /** @param from - Unix seconds; whole hours are added up from the one that holds it. */
    top(from: number, query: TopQuery, nowMs: number): TopAnswer {
      flush(nowMs)
      const tops = hours.topsFrom(Math.floor(from / 3_600) * 3_600)
      return { used: mergeTops(tops, 'used', query), refused: mergeTops(tops, 'refused', query) }
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
