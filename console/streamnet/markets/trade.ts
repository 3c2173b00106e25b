/** Books of markets in figures: the price of yes, and what an order would cost and pay before it is sent. */

import type { Depth } from '#gateway/contract/results.ts'

/** Cents that a share of the right outcome pays; the rest of its dollar is the market's fee. */
const payOutCents = 98

/** An order as a person gives it; `pair` makes shares of both outcomes, keeps yes and offers no. */
export interface Order {
  readonly side: 'buy' | 'sell' | 'pair'
  /** True for yes; without meaning for a pair. */
  readonly outcome: boolean
  /** In cents, 1 to 99; of a pair the price of yes. */
  readonly price: number
  /** Shares or pairs. */
  readonly amount: number
}

/** The effect of an order on a book as it is; sums in cents. */
interface Preview {
  /** Taken from the wallet when the order is placed. */
  readonly locked: number
  /** Shares that trade at once. */
  readonly filled: number
  /** Paid for them, or received for those that are sold. */
  readonly filledCents: number
  /** Received when the others trade at the order's price; a purchase receives nothing. */
  readonly restCents: number
  /** Paid at the settlement for the shares that the order brings or gives away, where their outcome is right. */
  readonly payOut: number
}

/** Best prices of yes in cents; an offer of the other outcome counts at what is left of a dollar. */
export interface Quote {
  readonly bid: number | null
  readonly ask: number | null
  /** The middle of both, or the one that there is. */
  readonly middle: number | null
}

/** The best prices of yes. */
export function quoteYes(depths: readonly Depth[]): Quote {
  const prices = (outcome: boolean, side: 'buy_volume' | 'sell_volume') =>
    depths.filter((one) => one.outcome === outcome && one[side] > 0).map(({ price }) => (outcome ? price : 100 - price))
  const bids = [...prices(true, 'buy_volume'), ...prices(false, 'sell_volume')]
  const asks = [...prices(true, 'sell_volume'), ...prices(false, 'buy_volume')]
  const bid = bids.length === 0 ? null : Math.max(...bids)
  const ask = asks.length === 0 ? null : Math.min(...asks)
  return { bid, ask, middle: bid !== null && ask !== null ? (bid + ask) / 2 : (bid ?? ask) }
}

/** Previews an order, which trades with opposite ones of its outcome, best first, then with equal ones of the other. */
export function previewOrder(order: Order, depths: readonly Depth[]): Preview {
  const { side, outcome, price, amount } = order
  if (side === 'buy') {
    const { filled, cents } = fillBuy(order, depths)
    return { locked: price * amount, filled, filledCents: cents, restCents: 0, payOut: payOutCents * amount }
  }
  const sold = side === 'sell' ? { outcome, price } : { outcome: false, price: 100 - price }
  const bids = sumVolume(depths, sold.outcome, 'buy_volume', (bid) => bid >= sold.price)
  const filled = Math.min(amount, bids + sumBurnable(sold, depths))
  return {
    locked: side === 'pair' ? 100 * amount : 0,
    filled,
    filledCents: filled * sold.price,
    restCents: (amount - filled) * sold.price,
    payOut: payOutCents * amount,
  }
}

/** The shares of a purchase that trade at once: with offers up to its price, then as new pairs with bids of the other outcome. */
function fillBuy({ outcome, price, amount }: Order, depths: readonly Depth[]) {
  let [filled, cents] = [0, 0]
  const offers = depths.filter((one) => one.outcome === outcome && one.sell_volume > 0 && one.price <= price)
  for (const offer of offers.sort((one, other) => one.price - other.price)) {
    const taken = Math.min(amount - filled, offer.sell_volume)
    filled += taken
    cents += taken * offer.price
  }
  const opposite = sumVolume(depths, !outcome, 'buy_volume', (bid) => bid === 100 - price)
  const minted = Math.min(amount - filled, opposite)
  return { filled: filled + minted, cents: cents + minted * price }
}

/** Shares that end as pairs: those of the other outcome that are offered for the rest of the dollar. */
function sumBurnable({ outcome, price }: Pick<Order, 'outcome' | 'price'>, depths: readonly Depth[]): number {
  return sumVolume(depths, !outcome, 'sell_volume', (ask) => ask === 100 - price)
}

/** Adds up one side of the book of an outcome, at the prices that are wanted. */
function sumVolume(
  depths: readonly Depth[],
  outcome: boolean,
  side: 'buy_volume' | 'sell_volume',
  isWanted: (price: number) => boolean,
): number {
  return depths.reduce((sum, one) => sum + (one.outcome === outcome && isWanted(one.price) ? one[side] : 0), 0)
}

/** Cents as dollars, such as `$4.00`. */
export function money(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`
}

/** The effect of an order in sentences. */
export function describePreview(
  order: Order,
  { locked, filled, filledCents, restCents, payOut }: Preview,
): readonly string[] {
  const { side, outcome, amount } = order
  const answer = outcome ? 'yes' : 'no'
  const waiting = amount - filled
  if (side === 'buy') {
    return [
      `Costs ${money(filledCents + waiting * order.price)} at most.`,
      filled === 0
        ? 'It waits in the book for a seller.'
        : `${filled} of ${amount} shares come at once for ${money(filledCents)}${waiting === 0 ? '.' : ', the others wait for a seller.'}`,
      `Pays ${money(payOut)} if the answer is ${answer}, nothing otherwise.`,
    ]
  }
  const wait = waiting === 0 ? '' : ` ${money(restCents)} more as the others find a buyer.`
  const pair = side === 'pair'
  return [
    ...(pair ? [`Costs ${money(locked)}: a dollar for each pair.`] : []),
    `Pays ${money(filledCents)} at once for ${filled} ${pair ? 'of the no' : 'of the'} shares.${wait}`,
    pair
      ? `The yes shares stay: they pay ${money(payOut)} if the answer is yes.`
      : `Gives up ${money(payOut)} that they would pay if the answer is ${answer}.`,
  ]
}
