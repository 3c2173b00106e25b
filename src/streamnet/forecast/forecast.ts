/**
 * The value that the order books of a market's buckets imply together: the probability of each bucket, also of one
 * without orders, then the median, or the mean where there is no median.
 */

import { countPeaks, type ForecastBasis, meanOf, quantileOf, sumOf } from './distribution.ts'
import { type Bucket, type BucketBounds, confidencesOf, dollarsOf, halfSpreadOf, type Quote, quoteOf } from './quote.ts'
import { bookWarnings, dutchBookWarnings, quantileWarnings } from './warnings.ts'

/** The 10th to the 90th percentile of a normal distribution, in standard deviations. */
const bandSigmas = 2.5631

/** A bucket's part in a forecast. */
export interface ForecastBucket extends BucketBounds {
  readonly queryId: number
  /** Their sum is 1. */
  readonly probability: number
  /** Before they were brought to a sum of 1; 0 without a quote. */
  readonly rawProbability: number
  /** 0 without a quote, 1 for two sides without a spread. */
  readonly confidence: number
  readonly oneSided: boolean
  readonly quoted: boolean
}

/** A forecast of a market: its median, in the stream's unit. */
export interface MarketForecast {
  readonly value: number
  readonly p10: number | null
  readonly p90: number | null
  /** Half of the band from `p10` to `p90`; not a standard error. */
  readonly marginOfError: number
  readonly sigma: number
  readonly valueBasis: ForecastBasis
  readonly p10Basis: ForecastBasis
  readonly p90Basis: ForecastBasis
  /** `rank` for a median, `discrete` for a mean of middles where the strikes have no median. */
  readonly method: 'rank' | 'discrete'
  readonly buckets: readonly ForecastBucket[]
  readonly warnings: readonly string[]
  readonly multimodal: boolean
  readonly nPeaks: number
  /** The value less, and plus, its margin of error. */
  readonly low: number
  readonly high: number
}

interface Odds {
  readonly buckets: readonly ForecastBucket[]
  readonly probabilities: readonly number[]
  readonly strikes: readonly number[]
  readonly warnings: readonly string[]
}

/**
 * Computes the forecast of a market from the orders of its buckets. Null when no order says anything.
 *
 * @param buckets - ascending and without an overlap; prices in cents, sizes in shares, as `getConsolidatedOrderBook`
 * gives them for YES.
 *
 * @example
 * const book = await operations.getConsolidatedOrderBook(client, { queryId: 1 })
 * const none = { bids: [], asks: [] }
 * const forecast = forecastFromDepth([
 *   { queryId: 2, lower: null, upper: 40, ...none },
 *   { queryId: 1, lower: 40, upper: null, ...book },
 * ])
 */
export function forecastFromDepth(buckets: readonly Bucket[]): MarketForecast | null {
  if (buckets.length < 2) return null
  const half = halfSpreadOf(buckets)
  const quotes = buckets.map((bucket) => quoteOf(bucket, half))
  const quotedTotal = sumOf(quotes.map(({ probability }) => probability ?? 0))
  if (quotedTotal <= 0) return null
  const dollars = sumOf(buckets.flatMap(({ bids, asks }) => [dollarsOf(bids), dollarsOf(asks)]))
  const warnings = [...dutchBookWarnings(buckets), ...bookWarnings(quotes, dollars, quotedTotal)]
  const probabilities = probabilitiesOf(buckets, quotes)
  const confidences = confidencesOf(quotes)
  const strikes = buckets.slice(0, -1).flatMap(({ upper }) => (upper === null ? [] : [upper]))
  const odds = {
    buckets: buckets.map(({ queryId, lower, upper }, at) => ({
      queryId,
      lower,
      upper,
      probability: probabilities[at] ?? 0,
      rawProbability: quotes[at]?.probability ?? 0,
      confidence: confidences[at] ?? 0,
      oneSided: quotes[at]?.oneSided ?? false,
      quoted: quotes[at]?.quoted ?? false,
    })),
    probabilities,
    strikes,
    warnings,
  }
  return strikes.length < buckets.length - 1
    ? forecastByMean(odds, 'bucket bounds incomplete; falling back to discrete estimate')
    : forecastByRank(odds)
}

/** Probabilities with a sum of 1; a bucket without a quote gets half of what the others' bids leave. */
function probabilitiesOf(buckets: readonly Bucket[], quotes: readonly Quote[]): readonly number[] {
  const missing = quotes.filter(({ probability }) => probability === null).length
  const claimed = sumOf(
    buckets.map(({ bids: [best] }, at) => (quotes[at]?.probability === null ? 0 : (best?.price ?? 0) / 100)),
  )
  const unknown = Math.max(0, 1 - claimed) / (2 * missing)
  const filled = quotes.map(({ probability }) => probability ?? unknown)
  const total = sumOf(filled)
  return filled.map((probability) => probability / total)
}

function forecastByRank(odds: Odds): MarketForecast | null {
  const { strikes, probabilities, buckets } = odds
  const [median, p10, p90] = [0.5, 0.1, 0.9].map((q) => quantileOf(strikes, probabilities, q))
  if (!median || !p10 || !p90 || median.value === null) {
    return forecastByMean(odds, 'median unresolvable from these strikes; falling back to discrete estimate')
  }
  const nPeaks = countPeaks(strikes, probabilities)
  const band = p10.value === null || p90.value === null ? null : Math.max(p90.value - p10.value, 0)
  const margin = (band ?? 0) / 2
  return {
    value: median.value,
    p10: p10.value,
    p90: p90.value,
    marginOfError: margin,
    sigma: (band ?? 0) / bandSigmas,
    valueBasis: median.basis,
    p10Basis: p10.basis,
    p90Basis: p90.basis,
    method: 'rank',
    buckets,
    warnings: [...odds.warnings, ...quantileWarnings({ probabilities, median, p10, p90, nPeaks })],
    multimodal: nPeaks >= 2,
    nPeaks,
    low: median.value - margin,
    high: median.value + margin,
  }
}

function forecastByMean({ buckets, strikes, probabilities, warnings }: Odds, reason: string): MarketForecast | null {
  const mean = meanOf(buckets, strikes, probabilities)
  if (mean === null) return null
  const quoted = buckets.filter((bucket) => bucket.quoted).length
  const confidence = sumOf(buckets.map((bucket) => bucket.confidence)) / buckets.length
  const margin = (mean.sigma * (1 - 0.5 * confidence)) / Math.sqrt(quoted)
  return {
    ...mean,
    p10: null,
    p90: null,
    marginOfError: margin,
    valueBasis: 'interior',
    p10Basis: 'interior',
    p90Basis: 'interior',
    method: 'discrete',
    buckets,
    warnings: [...warnings, reason],
    multimodal: false,
    nPeaks: 1,
    low: mean.value - margin,
    high: mean.value + margin,
  }
}
