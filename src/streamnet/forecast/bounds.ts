/** The bucket of values for which a market resolves true. */

import { invalidArgument } from '../errors.ts'
import type { DecodedMarketData } from '../market-data.ts'
import type { BucketBounds } from './quote.ts'

/**
 * The bounds of a market's bucket, as numbers.
 *
 * @param market - as `decodeMarketData` gives it.
 * @throws StreamNetError invalid_argument when its question has no bounds, or they enclose nothing.
 *
 * @example
 * const { queryComponents } = await operations.getMarketInfo(client, { queryId: 1 })
 * const { lower, upper } = bucketBoundsFromMarketData(decodeMarketData(queryComponents))
 */
export function bucketBoundsFromMarketData(market: Pick<DecodedMarketData, 'type' | 'thresholds'>): BucketBounds {
  const { type } = market
  const threshold = (at: number) => {
    const text = market.thresholds[at]
    if (text === undefined) {
      const given = market.thresholds.length
      throw invalidArgument(`a '${type}' market needs at least ${at + 1} threshold(s), got ${given}`)
    }
    if (!Number.isFinite(Number(text))) {
      throw invalidArgument(`threshold ${at} of a '${type}' market is not a number: '${text}'`)
    }
    return Number(text)
  }
  if (type === 'below') return { lower: null, upper: threshold(0) }
  if (type === 'above') return { lower: threshold(0), upper: null }
  if (type === 'unknown') throw invalidArgument(`cannot derive bucket bounds from a '${type}' market`)
  const [first, second] = [threshold(0), threshold(1)]
  if (type === 'between') {
    if (first < second) return { lower: first, upper: second }
    throw invalidArgument(`a '${type}' market needs lower < upper, got [${first}, ${second})`)
  }
  if (second <= 0) throw invalidArgument(`an '${type}' market needs a positive tolerance, got ${second}`)
  const [lower, upper] = [first - second, first + second]
  // A tolerance that is small beside its target is lost in the sum.
  if (lower < upper && Number.isFinite(lower) && Number.isFinite(upper)) return { lower, upper }
  const given = `target ${first} and tolerance ${second}`
  throw invalidArgument(`an '${type}' market with ${given} does not describe a usable bucket: [${lower}, ${upper})`)
}
