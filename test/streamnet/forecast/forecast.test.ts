import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { consolidateBook } from '#streamnet/consolidated-book.ts'
import { forecastFromDepth, type MarketForecast } from '#streamnet/forecast/forecast.ts'
import type { BucketBounds } from '#streamnet/forecast/quote.ts'

type DepthRow = readonly [outcome: boolean, price: number, buyVolume: number, sellVolume: number]

interface ForecastCase {
  readonly bounds: readonly (readonly [number | null, number | null])[]
  readonly depth: readonly (readonly DepthRow[])[]
  readonly forecast: MarketForecast | null
}

const cases: readonly ForecastCase[] = JSON.parse(
  readFileSync(join(projectRoot, 'test/vectors/market-forecasts.json'), 'utf8'),
)

/** A bucket of some rows of depth. */
function bucketOf(queryId: number, bounds: BucketBounds, rows: readonly DepthRow[]) {
  const depth = rows.map(([outcome, price, buyVolume, sellVolume]) => ({ outcome, price, buyVolume, sellVolume }))
  return { queryId, ...bounds, ...consolidateBook(depth, true) }
}

/** Numbers to twelve digits, as the vectors have them. */
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, one) => (typeof one === 'number' ? Number(one.toPrecision(12)) : one))
}

test.each(cases.map((one, at) => ({ at, ...one })))('forecastFromDepth() follows vector $at', (one) => {
  const { bounds, depth, forecast } = one
  const buckets = bounds.map(([lower, upper], at) => bucketOf(at + 1, { lower, upper }, depth[at] ?? []))
  expect(rounded(forecastFromDepth(buckets))).toEqual(forecast)
})

describe('forecastFromDepth()', () => {
  const bounds = [
    { lower: null, upper: 10 },
    { lower: 10, upper: 20 },
    { lower: 20, upper: null },
  ]
  const book = (bid: number, ask: number): DepthRow[] => [
    [true, bid, 100, 0],
    [true, ask, 0, 100],
  ]
  const forecastOf = (books: readonly (readonly DepthRow[])[]) =>
    forecastFromDepth(bounds.map((bound, at) => bucketOf(at, bound, books[at] ?? [])))

  test('lies in the middle of a symmetric market, with a band around it', () => {
    const forecast = forecastOf([book(19, 21), book(59, 61), book(19, 21)])
    expect(forecast).toMatchObject({
      value: 15,
      method: 'rank',
      valueBasis: 'interior',
      warnings: ['p10 falls in an open tail; tail-model dependent', 'p90 falls in an open tail; tail-model dependent'],
    })
    expect([forecast?.low, forecast?.high].map((end) => Math.abs((end ?? 0) - 15))).toEqual([
      forecast?.marginOfError,
      forecast?.marginOfError,
    ])
  })

  test('does not move by more orders behind the first five dollars, nor by a few cents at a silly price', () => {
    const books = [book(19, 21), book(59, 61), book(19, 21)]
    const more: DepthRow[] = [...book(59, 61), [true, 1, 100_000, 0]]
    expect(forecastOf([book(19, 21), more, book(19, 21)])?.value).toBe(forecastOf(books)?.value)
    const silent = forecastOf([[], book(59, 61), book(19, 21)])
    expect(forecastOf([[[true, 3, 100, 0]], book(59, 61), book(19, 21)])?.value).toBe(silent?.value)
  })

  test('is null without orders, and for one bucket', () => {
    expect(forecastOf([[], [], []])).toBeNull()
    expect(forecastFromDepth([bucketOf(1, { lower: null, upper: null }, book(40, 50))])).toBeNull()
  })
})
