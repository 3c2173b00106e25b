/** The probability that the orders of one bucket imply. */

import type { ConsolidatedBook, ConsolidatedLevel } from '../consolidated-book.ts'

/** A side with fewer dollars in all its orders counts as absent. */
const leastSideDollars = 5
const leastConfidence = 1e-3
/** Half of a spread, as a probability: usual where no bucket has two sides, and its bounds. */
const halfSpread = { usual: 0.06, least: 0.01, most: 0.2 }

/** A range of values, its lower end in it and its upper one not; null for an open end. */
export interface BucketBounds {
  readonly lower: number | null
  readonly upper: number | null
}

/** The market of a bucket and its orders, those for NO included. */
export interface Bucket extends BucketBounds, Pick<ConsolidatedBook, 'bids' | 'asks'> {
  readonly queryId: number
}

/** One bucket's quote, before those of the others count. */
export interface Quote {
  /** Null when the bucket has no orders, or its bids reach its asks. */
  readonly probability: number | null
  /** 1 for no spread, half where one side is missing. */
  readonly quality: number
  /** Dollars of the thinner side. */
  readonly dollars: number
  readonly oneSided: boolean
  readonly quoted: boolean
}

/** The middle of sorted numbers; undefined when there are none. */
export function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  const [before = 0, at] = [sorted[middle - 1], sorted[middle]]
  return at === undefined || sorted.length % 2 ? at : (before + at) / 2
}

/** Half of the usual spread of a market, as a probability: the step from a side to the one that is missing. */
export function halfSpreadOf(buckets: readonly Bucket[]): number {
  const spreads = buckets.flatMap(({ bids: [bid], asks: [ask] }) =>
    bid !== undefined && ask !== undefined && ask.price >= bid.price ? [(ask.price - bid.price) / 100] : [],
  )
  const median = medianOf(spreads)
  return median === undefined ? halfSpread.usual : clamp(median / 2, halfSpread.least, halfSpread.most)
}

/** The dollars of a side's orders. */
export function dollarsOf(levels: readonly ConsolidatedLevel[]): number {
  return levels.reduce((sum, { price, total }) => sum + price * total, 0) / 100
}

/**
 * Reads the quote of a bucket: the middle between what five dollars fetch and what they buy, from the best price on,
 * within the best prices. More orders behind them change the confidence only.
 *
 * @param half - half of the market's spread, as a probability.
 */
export function quoteOf({ bids, asks }: Bucket, half: number): Quote {
  const [[bid, bidDollars], [ask, askDollars]] = [heldSide(bids), heldSide(asks)]
  const [bestBid, bestAsk] = [bid?.price, ask?.price]
  if (bestBid === undefined && bestAsk === undefined) return noQuote
  if (bestBid === undefined || bestAsk === undefined) {
    const probability = bestBid === undefined ? walk(asks) / 100 - half : walk(bids) / 100 + half
    const quality = Math.max((1 - 2 * half) / 2, leastConfidence)
    const dollars = bestBid === undefined ? askDollars : bidDollars
    return { probability: clamp(probability, 0, 1), quality, dollars, oneSided: true, quoted: true }
  }
  if (bestBid >= bestAsk) return { ...noQuote, quoted: true }
  const cents = clamp((walk(bids) + walk(asks)) / 2, bestBid, bestAsk)
  return {
    probability: clamp(cents / 100, 0, 1),
    quality: Math.max(1 - (bestAsk - bestBid) / 100, leastConfidence),
    dollars: Math.min(bidDollars, askDollars),
    oneSided: false,
    quoted: true,
  }
}

const noQuote: Quote = { probability: null, quality: 0, dollars: 0, oneSided: false, quoted: false }

/** Confidence in each quote: its quality, less where its dollars are below the market's median. */
export function confidencesOf(quotes: readonly Quote[]): readonly number[] {
  const median = medianOf(quotes.filter(({ dollars }) => dollars > 0).map(({ dollars }) => dollars))
  return quotes.map(({ probability, quality, dollars }) => {
    if (probability === null || median === undefined) return quality
    return Math.max(quality * Math.min(1, dollars / median), leastConfidence)
  })
}

function heldSide(levels: readonly ConsolidatedLevel[]): readonly [ConsolidatedLevel | undefined, number] {
  const dollars = dollarsOf(levels)
  return dollars < leastSideDollars ? [undefined, 0] : [levels[0], dollars]
}

/** The price of the first dollars of a side, weighted by the dollars at each level. */
function walk(levels: readonly ConsolidatedLevel[]): number {
  let [rest, weighted, taken] = [leastSideDollars * 100, 0, 0]
  for (const { price, total } of levels) {
    if (rest <= 0) break
    const part = Math.min(price * total, rest)
    weighted += part * price
    taken += part
    rest -= part
  }
  return weighted / taken
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value))
}
