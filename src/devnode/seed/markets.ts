/** The markets of the seed network: two questions about its streams, each with a book and a few trades. */

import { encodeComponents } from '../../streamnet/codec/abi.ts'
import { encodeArgs } from '../../streamnet/codec/attestation.ts'
import { numeric, toTypedValue } from '../../streamnet/codec/value.ts'
import { generateStreamId } from '../../streamnet/ids.ts'
import type { ActionArg, Address } from '../../streamnet/types.ts'

/** A wallet of the seed network that trades, by its role there. */
type SeedTrader = 'energy' | 'groceries' | 'household'

/** An action that the seed network runs to make its markets. */
interface MarketStep {
  readonly trader: SeedTrader
  readonly action: string
  readonly args: readonly ActionArg[]
}

interface SeedMarket {
  readonly stream: string
  readonly provider: SeedTrader
  readonly threshold: string
  /** The price of YES in cents, as its traders see it. */
  readonly chance: number
}

const markets: readonly SeedMarket[] = [
  { stream: 'electricity', provider: 'energy', threshold: '335', chance: 62 },
  { stream: 'eggs', provider: 'groceries', threshold: '3.6', chance: 35 },
]

const daySeconds = 86_400
/** The time from the load of the network until its markets are due. */
const openDays = 30

/** Collateral that the traders need, in the token's smallest unit. */
export const seedCollateral = 10_000n * 10n ** 18n
/** The most that opening the markets costs one trader, in the smallest unit of the fee token. */
export const seedMarketFees = 10n * 10n ** 18n

/** Makes the steps that open the markets, which are due at midnight a month after `time` (UNIX seconds). */
export function seedMarketSteps(
  addressOf: (trader: SeedTrader) => Address,
  time: number,
  firstId: number,
): readonly MarketStep[] {
  const settleTime = (Math.ceil(time / daySeconds) + openDays) * daySeconds
  return markets.flatMap((market, index) => [
    {
      trader: market.provider,
      action: 'create_market',
      args: ['hoodi_tt2', encodeQuestion(market, addressOf(market.provider), settleTime), settleTime, 5, 1],
    },
    ...makeBook(firstId + index, market.chance),
  ])
}

/** Two wallets quote both sides, one takes. */
function makeBook(market: number, chance: number): readonly MarketStep[] {
  const maker = (trader: SeedTrader, distance: number, amount: number): readonly MarketStep[] => [
    { trader, action: 'place_split_limit_order', args: [market, chance - distance, amount] },
    { trader, action: 'place_sell_order', args: [market, true, chance + distance, amount] },
    { trader, action: 'place_buy_order', args: [market, true, chance - distance, amount] },
    { trader, action: 'place_buy_order', args: [market, false, 100 - chance - distance, amount] },
  ]
  return [
    ...maker('energy', 2, 120),
    ...maker('household', 4, 300),
    { trader: 'groceries', action: 'place_buy_order', args: [market, true, chance + 2, 25] },
    { trader: 'groceries', action: 'place_buy_order', args: [market, false, 100 - chance + 2, 10] },
  ]
}

function encodeQuestion({ stream, threshold }: SeedMarket, provider: Address, time: number): Uint8Array {
  const streamId = generateStreamId(stream)
  const args = [provider, streamId, time, numeric(threshold), null]
  return encodeComponents({
    dataProvider: provider,
    streamId,
    action: 'price_above_threshold',
    args: encodeArgs(args.map(toTypedValue)),
  })
}
