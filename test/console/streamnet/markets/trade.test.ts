import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describePreview, type Order, previewOrder, quoteYes } from '#console/streamnet/markets/trade.ts'
import { openMarket, startMarketNode, trader } from '#test/support/markets.ts'
import { sweep } from '#test/support/sweep.ts'

const level = (outcome: boolean, price: number, buy_volume: number, sell_volume: number) => ({
  outcome,
  price,
  buy_volume,
  sell_volume,
  total_amount: buy_volume + sell_volume,
})

describe('quoteYes()', () => {
  it.each([
    ['an empty book', [], { bid: null, ask: null, middle: null }],
    ['one side', [level(true, 40, 5, 0)], { bid: 40, ask: null, middle: 40 }],
    ['both sides of yes', [level(true, 40, 5, 0), level(true, 45, 0, 5)], { bid: 40, ask: 45, middle: 42.5 }],
    ['orders of no', [level(false, 52, 5, 0), level(false, 60, 0, 5)], { bid: 40, ask: 48, middle: 44 }],
  ])('gives the best prices of %s', (_, depths, quote) => {
    expect(quoteYes(depths)).toEqual(quote)
  })
})

describe('describePreview()', () => {
  const say = (order: Order, depths: Parameters<typeof previewOrder>[1]) =>
    describePreview(order, previewOrder(order, depths)).join(' ')
  const book = [level(true, 38, 0, 4), level(false, 60, 3, 0)]

  it.each<[string, Order, string]>([
    [
      'a purchase that is filled in part',
      { side: 'buy', outcome: true, price: 40, amount: 10 },
      'Costs $3.92 at most. 7 of 10 shares come at once for $2.72, the others wait for a seller. Pays $9.80 if the answer is yes, nothing otherwise.',
    ],
    [
      'a sale that waits in part',
      { side: 'sell', outcome: false, price: 60, amount: 5 },
      'Pays $1.80 at once for 3 of the shares. $1.20 more as the others find a buyer. Gives up $4.90 that they would pay if the answer is no.',
    ],
    [
      'pairs',
      { side: 'pair', outcome: true, price: 40, amount: 2 },
      'Costs $2.00: a dollar for each pair. Pays $1.20 at once for 2 of the no shares. The yes shares stay: they pay $1.96 if the answer is yes.',
    ],
  ])('says what %s costs and pays', (_, order, words) => {
    expect(say(order, book)).toBe(words)
  })
})

const anyOrder = fc.record({
  side: fc.constantFrom<Order['side']>('buy', 'sell', 'pair'),
  outcome: fc.boolean(),
  price: fc.integer({ min: 30, max: 70 }),
  amount: fc.integer({ min: 1, max: 9 }),
})

/** The money of a wallet in cents, with what its open purchases hold. */
function readWealth(node: ReturnType<typeof startMarketNode>, name: string) {
  const { address } = trader(name)
  const wei = BigInt(String(node.view('hoodi_tt2_wallet_balance', [address])[0]?.[0]))
  return Number((wei * 100n) / 10n ** 18n)
}

describe('previewOrder()', () => {
  it('says of any order what the development node takes and gives for it at once', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(fc.array(anyOrder, { minLength: 1, maxLength: 8 }), anyOrder, (earlier, order) => {
        const node = startMarketNode(['maker', 'taker'])
        const market = openMarket(node)
        const place = (name: string, { side, outcome, price, amount }: Order) =>
          side === 'pair'
            ? node.must(trader(name), 'place_split_limit_order', market, price, amount)
            : node.must(trader(name), `place_${side}_order`, market, outcome, price, amount)
        // Shares of both outcomes to sell: pairs whose offers of no at 99 nothing reaches are taken back.
        for (const name of ['maker', 'taker']) {
          place(name, { side: 'pair', outcome: true, price: 1, amount: 200 })
          node.must(trader(name), 'cancel_order', market, false, 99)
        }
        for (const one of earlier) place('maker', one)
        const depths = node
          .view('get_full_market_depth', [market])
          .map(([outcome, price, buys, sells]) => level(outcome === true, Number(price), Number(buys), Number(sells)))
        const { locked, filled, filledCents } = previewOrder(order, depths)
        const before = readWealth(node, 'taker')
        place('taker', order)
        const taken = before - readWealth(node, 'taker')
        // A purchase gets back what better offers leave of its price.
        const spared = order.side === 'buy' ? filled * order.price - filledCents : filledCents
        expect(taken).toBe(locked - spared)
      }),
      { numRuns: sweep(2_000, 12) },
    )
  })
})
