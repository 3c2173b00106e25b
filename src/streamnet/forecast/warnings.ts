/** Warnings of a forecast, in the words of the network's own clients. */

import { type Quantile, sumOf } from './distribution.ts'
import type { Bucket, Quote } from './quote.ts'

/** Sums of prices may differ from a dollar by so much. */
const tolerance = 0.02
/** A market with less in all its orders has a warning. */
const leastDollars = 50

/** Warns of prices at which all buckets together are free money: one of them pays a dollar. */
export function dutchBookWarnings(buckets: readonly Bucket[]): readonly string[] {
  const asks = totalOf(buckets.map(({ asks: [best] }) => best?.price))
  if (asks !== undefined && asks < 1 - tolerance) {
    const price = fixed(asks, 3)
    const gain = fixed((1 - asks) * 100, 1)
    return [
      `DUTCH BOOK: asks sum to ${price}; buying every bucket costs ${price} and settles at 1.000, a risk-free ${gain}c per dollar against us`,
    ]
  }
  const bids = totalOf(buckets.map(({ bids: [best] }) => best?.price))
  if (bids !== undefined && bids > 1 + tolerance) {
    const price = fixed(bids, 3)
    const gain = fixed((bids - 1) * 100, 1)
    return [
      `DUTCH BOOK: bids sum to ${price}; minting and selling every bucket pays ${price} against a cost of 1.000, a risk-free ${gain}c per dollar against us`,
    ]
  }
  return []
}

/** Warns of empty, crossed and one-sided buckets, few dollars in all, and probabilities that do not add up. */
export function bookWarnings(quotes: readonly Quote[], dollars: number, total: number): readonly string[] {
  const count = (test: (quote: Quote) => boolean) => quotes.filter(test).length
  const unquoted = count(({ quoted }) => !quoted)
  const crossed = count(({ quoted, probability }) => quoted && probability === null)
  const oneSided = count((quote) => quote.oneSided)
  const off = (total - 1) * 100
  return [
    dollars < leastDollars && `total resting notional only $${fixed(dollars, 0)} across all buckets`,
    unquoted > 0 && `${unquoted} of ${quotes.length} buckets unquoted`,
    crossed > 0 && `${crossed} bucket(s) crossed (bid above ask); treated as unpriced`,
    oneSided > 0 && `${oneSided} bucket(s) one-sided; margin of error widened`,
    Math.abs(total - 1) > tolerance &&
      `bucket mids sum to ${fixed(total, 3)} (${off >= 0 ? '+' : ''}${fixed(off, 1)}c per dollar) before normalising`,
  ].filter((warning) => warning !== false)
}

/** Warns of quantiles in open ends or nowhere, and of several peaks. */
export function quantileWarnings(found: {
  readonly probabilities: readonly number[]
  readonly median: Quantile
  readonly p10: Quantile
  readonly p90: Quantile
  readonly nPeaks: number
}): readonly string[] {
  const { probabilities, median, p10, p90, nPeaks } = found
  const [first = 0, last = 0] = [probabilities[0], probabilities.at(-1)]
  const outside = fixed((first >= 0.5 ? first : last) * 100, 0)
  const ends = Object.entries({ p10, p90 }).map(([name, { basis }]) => {
    if (basis === 'tail') return `${name} falls in an open tail; tail-model dependent`
    return basis === 'unresolved' && `${name} unresolvable from these strikes`
  })
  return [
    median.basis === 'tail' &&
      `median lies beyond the outer strikes (${outside}% of mass in an open-ended bucket); value depends on the assumed tail shape`,
    ...ends,
    nPeaks >= 2 &&
      `market shows ${nPeaks} probability clusters; a single point forecast misrepresents it, publish the clusters instead`,
    (p10.value === null || p90.value === null) && 'band unresolvable; margin and sigma reported as 0',
  ].filter((warning) => warning !== false)
}

/** Dollars of all prices in cents; undefined when one is missing. */
function totalOf(prices: readonly (number | undefined)[]): number | undefined {
  const known = prices.filter((price) => price !== undefined)
  return known.length === prices.length ? sumOf(known) / 100 : undefined
}

/** Text with so many digits; a half goes to the even neighbour. */
function fixed(value: number, digits: number): string {
  const scaled = value * 10 ** digits
  const floor = Math.floor(scaled)
  const even = scaled - floor === 0.5 ? (floor + (floor % 2 === 0 ? 0 : 1)) / 10 ** digits : value
  return even.toFixed(digits)
}
