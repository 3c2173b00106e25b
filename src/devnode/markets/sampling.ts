/**
 * Sampling of liquidity: who keeps both sides of a market close to its middle.
 *
 * A wallet scores with pairs of orders of equal amount: a sell of an outcome at p and a buy of the other at 100 - p.
 * The closer a pair is to the middle, the more it scores, and of its two sides a wallet's weaker one counts.
 */

import { divideRounded, formatDecimal } from '../../base/decimal.ts'
import { takePage } from '../actions/checks.ts'
import type { LedgerStore } from '../ports.ts'
import { bestOrder, listOrdersAt } from '../state/market-book.ts'
import type { Position } from '../state/market-places.ts'
import { findPosition } from '../state/market-positions.ts'
import { addSample, type Reward, readSamples } from '../state/market-rewards.ts'
import { readMarketSettings } from '../state/market-settings.ts'
import { listActiveMarkets, type Market } from '../state/markets.ts'

/** Fractional digits of a score. */
const scale = 20
const unit = 10n ** BigInt(scale)

/** The middle of a market and the orders around it that score; in cents. */
export interface Band {
  readonly middle: number
  /** Distance at which an order no longer scores. */
  readonly spread: number
}

/** The spread of a middle: narrower as the market is more certain; undefined where it is too certain. */
export function computeSpread(middle: number): number | undefined {
  const distance = Math.abs(2 * middle - 100)
  if (distance < 30) return 5
  if (distance < 60) return 4
  return distance < 80 ? 3 : undefined
}

/** Samples markets that are not settled, where the height of the block is one to sample at. */
export function sampleActiveMarkets(store: LedgerStore, height: number): void {
  const { isEnabled, intervalBlocks, maxMarkets } = readMarketSettings(store, 'rewards')
  if (!isEnabled || height % intervalBlocks !== 0) return
  const markets = takePage(listActiveMarkets(store), { limit: BigInt(maxMarkets) })
  // The network keeps no log of what it does at the end of a block.
  for (const market of markets) sampleMarket(store, market, height, () => undefined)
}

/** Samples a market that is not settled. */
export function sampleMarket(store: LedgerStore, market: Market, block: number, notice: (text: string) => void): void {
  const say = (text: string) => notice(`sample_lp_rewards: ${text}`)
  say(`START query_id=${market.id} block=${block}`)
  if (readSamples(store, market.id).lastBlock === block) {
    say('RETURN already sampled')
    return
  }
  const band = findBand(store, market, say)
  if (band === undefined) return
  const scores = computeScores(store, market, band)
  let total = 0n
  for (const score of scores.values()) total += score
  say(`global_total_score=${formatDecimal(total, scale)}`)
  if (total <= 0n) {
    say('RETURN global_total_score <= 0')
    return
  }
  const rewards = Array.from(scores, ([participant, score]): Reward => {
    const share = divideRounded(score * unit, total)
    return { participant, hundredths: divideRounded(share * 10_000n, unit) }
  })
  addSample(store, market.id, block, rewards)
}

function findBand(store: LedgerStore, market: Market, say: (text: string) => void): Band | undefined {
  const bid = bestOrder(store, { market, outcome: true, side: 'bid' })
  if (bid === undefined) {
    say('RETURN no YES buy orders')
    return undefined
  }
  say(`best YES bid price=${bid.price}`)
  const ask = bestOrder(store, { market, outcome: true, side: 'ask' })
  if (ask === undefined) {
    say('RETURN no YES sell orders')
    return undefined
  }
  say(`lowest YES sell price=${ask.price} x_mid_before=${bid.price}`)
  const middle = Math.floor((ask.price - bid.price) / 2)
  say(`x_mid=${middle}`)
  const distance = Math.abs(2 * middle - 100)
  const spread = computeSpread(middle)
  say(
    spread === undefined
      ? `RETURN market too certain spread_base=${distance}`
      : `spread_base=${distance} spread=${spread}`,
  )
  return spread === undefined ? undefined : { middle, spread }
}

function computeScores(store: LedgerStore, market: Market, { middle, spread }: Band): ReadonlyMap<number, bigint> {
  const scores = new Map<number, SideScores>()
  for (let yes = Math.max(1, middle - spread + 1); yes < Math.min(100, middle + spread); yes++) {
    const weight = BigInt((spread - Math.abs(middle - yes)) ** 2)
    for (const outcome of [true, false]) {
      const side = outcome ? 'yes' : 'no'
      for (const { participant, amount } of pairedSells(store, market, outcome, outcome ? yes : 100 - yes)) {
        const before = scores.get(participant) ?? { yes: 0n, no: 0n }
        scores.set(participant, { ...before, [side]: before[side] + amount * weight })
      }
    }
  }
  const divisor = BigInt(spread * spread)
  const takeWeaker = ({ yes, no }: SideScores) => divideRounded((yes < no ? yes : no) * unit, divisor)
  return new Map([...scores].sort(([left], [right]) => left - right).map(([id, both]) => [id, takeWeaker(both)]))
}

/** The scores of a wallet for its sells of YES and of NO, before they are divided by the square of the spread. */
type SideScores = Readonly<Record<'yes' | 'no', bigint>>

/** Sells of an outcome whose wallet bids for as much of the other at what is left of the dollar. */
function pairedSells(store: LedgerStore, market: Market, outcome: boolean, price: number): readonly Position[] {
  return [...listOrdersAt(store, { market, outcome, price })].filter(
    (sell) => findPosition(store, { ...sell, outcome: !outcome, price: price - 100 })?.amount === sell.amount,
  )
}
