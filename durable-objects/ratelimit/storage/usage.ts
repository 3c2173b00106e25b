/** Usage of a StatsObject on disk: counts by minute and hour, the top keys of hours, sampled requests. */

import { encodeUtf8 } from '#base/utf8.ts'
import type { KeyLabel, UsageRow } from '#ratelimit/contract/usage.ts'
import { mostUsageRows, otherRules, type UsageStep } from '#ratelimit/usage/bounds.ts'
import type { SketchState } from '#ratelimit/usage/space-saving.ts'
import type { SampledRequest, UsageCount } from '#ratelimit/usage/types.ts'

/** Seconds: the two lengths of buckets, and for how long each is kept. */
export const bucketSteps = { minute: 60, hour: 3_600 } as const
const keptSeconds = { 60: 86_400 + 3_600, 3600: 31 * 86_400 } as const

/** Series (a domain and a rule) that are kept apart at a time; further ones are counted together. */
const maxSeries = 200

/** Lengths that a reader may ask for: seconds are in memory only. */
type KeptStep = Exclude<UsageStep, 1>

/** The sketches of one hour, with what their keys mean. */
export interface HourTops {
  /** Unix time in seconds. */
  readonly hour: number
  readonly used: SketchState
  readonly refused: SketchState
  readonly labels: readonly (readonly [key: string, label: KeyLabel])[]
}

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
  const { sql } = storage
  const series = new Set<string>()

  function placeOf({ domain, rule }: UsageCount): { readonly domain: string; readonly rule: string } {
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
    const { domain, rule } = placeOf(count)
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
      storage.transactionSync(() => {
        for (const count of counts) for (const step of Object.values(bucketSteps)) addTo(step, count)
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
    writeTops({ hour, ...tops }: HourTops): void {
      sql.exec('INSERT OR REPLACE INTO usage_tops VALUES (?, ?)', hour, topsText(tops))
    },
    /** The kept hours from one on, in order. */
    tops(fromHour: number): readonly HourTops[] {
      const rows = sql.exec<{ hour: number; tops: string }>(
        'SELECT * FROM usage_tops WHERE hour >= ? ORDER BY hour',
        fromHour,
      )
      // Written by `writeTops` only.
      return rows.toArray().map(({ hour, tops }) => ({ hour, ...(JSON.parse(tops) as Omit<HourTops, 'hour'>) }))
    },
    /** Keeps the newest `limit` sampled requests. */
    addRequests(requests: readonly SampledRequest[], limit: number): void {
      storage.transactionSync(() => {
        for (const request of requests) {
          sql.exec('INSERT INTO usage_requests (request) VALUES (?)', requestText(request))
        }
        const newest = Number(sql.exec('SELECT coalesce(max(number), 0) AS newest FROM usage_requests').one().newest)
        sql.exec('DELETE FROM usage_requests WHERE number <= ?', newest - limit)
      })
    },
    /** The sampled requests, the oldest first. */
    requests(): readonly SampledRequest[] {
      const rows = sql.exec<{ request: string }>('SELECT request FROM usage_requests ORDER BY number')
      return rows.toArray().map(({ request }) => parseRequest(request))
    },
    /** Forgets what is older than it is kept. @param now - Unix time in seconds. */
    forgetOld(now: number): void {
      for (const step of Object.values(bucketSteps)) {
        sql.exec('DELETE FROM usage WHERE step = ? AND start < ?', step, now - keptSeconds[step])
      }
      sql.exec('DELETE FROM usage_tops WHERE hour < ?', now - keptSeconds[60])
      series.clear()
    },
  }
}

/** Bytes of a row: the platform takes 2 MB. */
const mostRowBytes = 1_900_000

/** The sketches of an hour as one row; where texts are so long that it has no room for all keys, the first ones. */
function topsText(tops: Omit<HourTops, 'hour'>, most = Number.POSITIVE_INFINITY): string {
  const [used, refused] = [truncateSketch(tops.used, most), truncateSketch(tops.refused, most)]
  const held = new Set([used, refused].flatMap((sketch) => sketch.entries.map(({ key }) => key)))
  const labels = tops.labels.filter(([key]) => held.has(key))
  const text = JSON.stringify({ used, refused, labels })
  if (encodeUtf8(text).length <= mostRowBytes) return text
  const longest = Math.max(used.entries.length, refused.entries.length)
  return topsText(tops, Math.floor(longest / 2))
}

/** A sketch that holds fewer keys; merged, the least of them counts for each that it has lost. */
function truncateSketch(sketch: SketchState, most: number): SketchState {
  if (sketch.entries.length <= most) return sketch
  const entries = sketch.entries.slice(0, most)
  return { ...sketch, entries, capacity: entries.length }
}

/** Addends have 64 bits, which JSON numbers have not. */
function requestText(request: SampledRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? { bigint: String(value) } : value))
}

function parseRequest(text: string): SampledRequest {
  // Written by `requestText` only.
  return JSON.parse(text, (_, value) =>
    typeof value?.bigint === 'string' ? BigInt(value.bigint) : value,
  ) as SampledRequest
}
