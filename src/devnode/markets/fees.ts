/**
 * Distribution of a market's fees: an eighth to the provider of the stream, an eighth to the validators, the rest to
 * the wallets that kept its book liquid, by their samples. Without samples the rest stays in the vault.
 */

import { divideRounded } from '../../base/decimal.ts'
import type { ActionContext } from '../actions/action.ts'
import { addDistribution, type Payment } from '../state/market-distributions.ts'
import { nextNumber } from '../state/market-keys.ts'
import { ensureParticipant, readWallet } from '../state/market-participants.ts'
import { clearRewards, listRewards, readSamples } from '../state/market-rewards.ts'
import type { Market } from '../state/markets.ts'
import { unlock } from './collateral.ts'
import { readComponents } from './components.ts'

/** The part of the provider, and of the validators: 12.50 percent, in hundredths. */
const eighth = 1250n
const whole = 100n * 100n
/** The network's numerics have 20 fractional digits here, to which a quotient is rounded before it is cast. */
const unit = 10n ** 20n

type Share = Omit<Payment, 'distribution'>

/** Pays a market's fees out of the vault, and writes who got what. */
export function distributeFees(context: ActionContext, market: Market, fees: bigint): void {
  const { store, blockTime } = context
  const infrastructure = divideRounded(fees * eighth, whole)
  const liquidity = fees - 2n * infrastructure
  const { count: blockCount } = readSamples(store, market.id)
  const id = nextNumber(store, 'distribution')
  const shares = infrastructureShares(context, market, infrastructure)
  const rewards = liquidityShares(context, market, liquidity, blockCount)
  for (const { wallet, amount } of [...shares, ...rewards]) unlock(store, market.bridge, wallet, amount)
  const paid = shares.length > 0 ? infrastructure : 0n
  const distribution = {
    id,
    market: market.id,
    liquidityFees: rewards.length > 0 ? liquidity : 0n,
    providerFees: paid,
    validatorFees: paid,
    liquidityCount: rewards.length,
    blockCount,
    time: blockTime,
  }
  // A share that the samples round to nothing is paid and not listed, as on the network.
  const listed = rewards.filter(({ hundredths }) => hundredths > 0n)
  addDistribution(store, distribution, merge([...shares, ...listed]))
  if (rewards.length > 0) clearRewards(store, market.id)
}

/** Shares of the provider and of the validator, which is the one node that makes blocks. */
function infrastructureShares({ store, leader }: ActionContext, market: Market, amount: bigint): readonly Share[] {
  if (amount <= 0n) return []
  return [readComponents(market.components).dataProvider, leader].map((wallet) => ({
    participant: ensureParticipant(store, wallet),
    wallet,
    amount,
    hundredths: eighth,
  }))
}

/** Shares of the wallets for their samples; the lowest number gets what rounding leaves. */
function liquidityShares({ store }: ActionContext, market: Market, pool: bigint, blockCount: number): readonly Share[] {
  if (blockCount === 0) return []
  const rewards = listRewards(store, market.id)
  const amounts = rewards.map(({ hundredths }) => {
    const quotient = divideRounded(pool * hundredths * unit, whole * BigInt(blockCount))
    return divideRounded(quotient, unit)
  })
  const left = amounts.reduce((rest, amount) => rest - amount, pool)
  return rewards.flatMap(({ participant, hundredths }, index): readonly Share[] => {
    const amount = (amounts[index] ?? 0n) + (index === 0 ? left : 0n)
    return amount > 0n ? [{ participant, wallet: readWallet(store, participant), amount, hundredths }] : []
  })
}

/** One entry a wallet: a provider may be the validator, and either may have kept the book. */
function merge(shares: readonly Share[]): readonly Share[] {
  const byWallet = new Map<string, Share>()
  for (const share of shares) {
    const { amount = 0n, hundredths = 0n } = byWallet.get(share.wallet) ?? {}
    byWallet.set(share.wallet, { ...share, amount: amount + share.amount, hundredths: hundredths + share.hundredths })
  }
  return [...byWallet.values()]
}
