/** The book of an outcome with the orders of both: those of the other one count at what is left of the dollar. */

/** A price in cents, and the shares that are offered there. */
export interface PriceLevel {
  readonly price: number
  readonly size: number
}

/** The shares at a price, and how many of them are orders of the other outcome. */
export interface ConsolidatedLevel {
  readonly price: number
  readonly total: number
  readonly native: number
  readonly inverse: number
}

/** A row of the depth of both outcomes. */
export interface DepthRow {
  readonly outcome: boolean
  readonly price: number
  readonly buyVolume: number
  readonly sellVolume: number
}

/** The book of one outcome. */
export interface ConsolidatedBook {
  /** The best first. */
  readonly bids: readonly ConsolidatedLevel[]
  readonly asks: readonly ConsolidatedLevel[]
  /** True when the best bid is at or above the best ask. */
  readonly isCrossed: boolean
}

/**
 * Merges a side's own orders with those of the other outcome that fill it: a bid of NO at p is filled by a bid of YES at
 * 100 - p, which makes a pair, and asks alike.
 *
 * @param side - `bid` begins at the highest price, `ask` at the lowest.
 */
export function consolidateSide(
  native: readonly PriceLevel[],
  opposite: readonly PriceLevel[],
  side: 'bid' | 'ask',
): readonly ConsolidatedLevel[] {
  const levels = new Map<number, ConsolidatedLevel>()
  const add = (price: number, own: number, other: number) => {
    const { native: before, inverse } = levels.get(price) ?? { native: 0, inverse: 0 }
    levels.set(price, { price, total: before + inverse + own + other, native: before + own, inverse: inverse + other })
  }
  for (const { price, size } of native) if (size > 0) add(price, size, 0)
  for (const { price, size } of opposite) if (size > 0) add(Math.round((100 - price) * 1e4) / 1e4, 0, size)
  return [...levels.values()].sort((left, right) => (left.price - right.price) * (side === 'bid' ? -1 : 1))
}

/** The book of an outcome from the depth of both. */
export function consolidateBook(depth: readonly DepthRow[], outcome: boolean): ConsolidatedBook {
  const own = depth.filter((row) => row.outcome === outcome)
  const other = depth.filter((row) => row.outcome !== outcome)
  const bids = consolidateSide(own.map(bidOf), other.map(askOf), 'bid')
  const asks = consolidateSide(own.map(askOf), other.map(bidOf), 'ask')
  const [bid, ask] = [bids[0]?.price, asks[0]?.price]
  return { bids, asks, isCrossed: bid !== undefined && ask !== undefined && bid >= ask }
}

function bidOf({ price, buyVolume }: DepthRow): PriceLevel {
  return { price, size: buyVolume }
}

function askOf({ price, sellVolume }: DepthRow): PriceLevel {
  return { price, size: sellVolume }
}
