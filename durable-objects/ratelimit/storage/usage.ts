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
  /** Sampled requests that a reader gets: rows hold many, so that there may be more. */
  let kept = Number.POSITIVE_INFINITY

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
    /** Keeps the newest `limit` sampled requests, many in a row. @param requests - as `requestText` makes them. */
    addRequests(requests: readonly string[], limit: number): void {
      storage.transactionSync(() => {
        for (const texts of packRows(requests)) {
          const row = `[${texts.join(',')}]`
          sql.exec('INSERT INTO usage_requests (count, requests) VALUES (?, ?)', texts.length, row)
        }
        const rows = sql.exec<{ number: number; count: number }>(
          'SELECT number, count FROM usage_requests ORDER BY number DESC',
        )
        let newer = 0
        for (const { number, count } of rows.toArray()) {
          if (newer >= limit) sql.exec('DELETE FROM usage_requests WHERE number = ?', number)
          newer += count
        }
      })
      kept = limit
    },
    /** The sampled requests, the oldest first. */
    requests(): readonly SampledRequest[] {
      const rows = sql.exec<{ requests: string }>('SELECT requests FROM usage_requests ORDER BY number').toArray()
      return rows.flatMap(({ requests }) => parseRequests(requests)).slice(-kept)
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

/** A sampled request as JSON. Addends have 64 bits, which JSON numbers have not. */
export function requestText(request: SampledRequest): string {
  return JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? { bigint: String(value) } : value))
}

function parseRequests(text: string): readonly SampledRequest[] {
  // Texts of `requestText` only.
  return JSON.parse(text, (_, value) =>
    typeof value?.bigint === 'string' ? BigInt(value.bigint) : value,
  ) as readonly SampledRequest[]
}

/** Characters of requests in a row: one that has them all beyond ASCII stays below the platform's bound. */
const rowCharacters = 400_000

/** Divides texts into as few rows as have room for them. */
function packRows(texts: readonly string[]): readonly (readonly string[])[] {
  const rows: string[][] = []
  let room = 0
  for (const text of texts) {
    room -= text.length + 1
    if (room < 0) [room] = [rowCharacters - text.length, rows.push([])]
    rows.at(-1)?.push(text)
  }
  return rows
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
