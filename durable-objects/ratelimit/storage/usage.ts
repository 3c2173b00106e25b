/** Usage of a StatsObject on disk: counts by minute and hour, the top keys of hours, sampled requests. */

import type { UsageRow } from '#ratelimit/contract/usage.ts'
import { keptSeconds, mostUsageRows, otherRules, type UsageStep } from '#ratelimit/usage/bounds.ts'
import type { UsageCount } from '#ratelimit/usage/types.ts'
import { requestTable } from './usage-requests.ts'
import { topTable } from './usage-tops.ts'

/** Seconds: the two lengths of buckets on disk. */
export const bucketSteps = { minute: 60, hour: 3_600 } as const

/** Series (a domain and a rule) that are kept apart at a time; further ones are counted together. */
const maxSeries = 200

/** Lengths that a reader may ask for: seconds are in memory only. */
type KeptStep = Exclude<UsageStep, 1>

/** Buckets to read. */
export interface UsageRange {
  /** Unix time in seconds, included. */
  readonly from: number
  /** Unix time in seconds, excluded. */
  readonly to: number
  readonly domain?: string
  readonly rule?: string
}

/** The tables of usage. */
export type UsageTables = ReturnType<typeof usageTables>

type BucketRow = Omit<UsageRow, 'start'> & { readonly bucket: number }

/** The length of the kept buckets that make up one of an answer. */
function keptStepOf(step: KeptStep): 60 | 3600 {
  return step < bucketSteps.hour ? bucketSteps.minute : bucketSteps.hour
}

/** Opens the tables, which `statTables` has made. */
export function usageTables(storage: DurableObjectStorage) {
  const { forgetBuckets, ...buckets } = bucketTable(storage)
  const { forgetTops, ...tops } = topTable(storage.sql)
  return {
    ...buckets,
    ...tops,
    ...requestTable(storage),
    /**
     * Forgets what is older than it is kept.
     *
     * @param now - Unix time in seconds.
     */
    forgetOld(now: number): void {
      forgetBuckets(now)
      forgetTops(now - keptSeconds[60])
    },
  }
}

function bucketTable(storage: DurableObjectStorage) {
  const { sql } = storage
  const series = new Set<string>()

  function findPlace({ domain, rule }: UsageCount): { readonly domain: string; readonly rule: string } {
    const name = `${domain}\n${rule}`
    if (series.size === 0) {
      const rows = sql.exec<{ domain: string; rule: string }>(
        'SELECT DISTINCT domain, rule FROM usage WHERE step = 3600',
      )
      for (const row of rows) series.add(`${row.domain}\n${row.rule}`)
    }
    if (!series.has(name) && series.size >= maxSeries) return { domain: '', rule: rule === '' ? '' : otherRules }
    series.add(name)
    return { domain, rule }
  }

  function addTo(step: number, count: UsageCount): void {
    const { domain, rule } = findPlace(count)
    const start = Math.floor(count.second / step) * step
    sql.exec(
      `INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
        admitted = admitted + excluded.admitted, refused = refused + excluded.refused, shadow = shadow + excluded.shadow`,
      ...[step, start, domain, rule, count.admitted, count.refused, count.shadow],
    )
  }

  return {
    /** Adds counts to their minute and their hour. */
    add(counts: readonly UsageCount[]): void {
      if (counts.length === 0) return
      storage.transactionSync(() => {
        for (const step of Object.values(bucketSteps)) for (const count of sumBy(step, counts)) addTo(step, count)
      })
    },
    /** The rows of a range in order; those beyond `mostUsageRows` and one are left out. */
    read(step: KeptStep, { from, to, domain, rule }: UsageRange): readonly UsageRow[] {
      const query = `SELECT start - start % ?1 AS bucket, domain, rule,
          sum(admitted) AS admitted, sum(refused) AS refused, sum(shadow) AS shadow
        FROM usage WHERE step = ?2 AND start >= ?3 AND start < ?4
          AND (?5 IS NULL OR domain = ?5) AND (?6 IS NULL OR rule = ?6)
        GROUP BY domain, rule, bucket ORDER BY domain, rule, bucket LIMIT ${mostUsageRows + 1}`
      return sql
        .exec<BucketRow>(query, step, keptStepOf(step), from, to, domain ?? null, rule ?? null)
        .toArray()
        .map(({ bucket: start, ...counted }) => ({ start, ...counted }))
    },
    /** The first moment that is known by buckets of a length, Unix seconds; null when there is none. */
    since(step: KeptStep): number | null {
      const [row] = sql.exec<{ start: number | null }>(
        'SELECT min(start) AS start FROM usage WHERE step = ?',
        keptStepOf(step),
      )
      return row?.start ?? null
    },
    /** Forgets the buckets that are older than they are kept. */
    forgetBuckets(now: number): void {
      for (const step of Object.values(bucketSteps)) {
        sql.exec('DELETE FROM usage WHERE step = ? AND start < ?', step, now - keptSeconds[step])
      }
      series.clear()
    },
  }
}

/** Adds up counts of one bucket and rule, so that each is one row. @param step - seconds of a bucket. */
export function sumBy(step: number, counts: readonly UsageCount[]): readonly UsageCount[] {
  const sums = new Map<string, UsageCount>()
  for (const count of counts) {
    const second = Math.floor(count.second / step) * step
    const name = `${second}\n${count.domain}\n${count.rule}`
    const { admitted = 0, refused = 0, shadow = 0 } = sums.get(name) ?? {}
    sums.set(name, {
      ...count,
      second,
      admitted: admitted + count.admitted,
      refused: refused + count.refused,
      shadow: shadow + count.shadow,
    })
  }
  return [...sums.values()]
}
