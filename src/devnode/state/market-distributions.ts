/** Distributions of fees: what a settlement paid to provider, validator and liquidity, and to whom. */

import { countPart, lastPart, listIndexed, parseCountPart } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { marketKey, marketKeysUnder, toId } from './market-keys.ts'

/** A distribution; amounts in the token's smallest unit. */
export interface Distribution {
  readonly id: number
  readonly market: number
  readonly liquidityFees: bigint
  readonly providerFees: bigint
  readonly validatorFees: bigint
  readonly liquidityCount: number
  readonly blockCount: number
  /** UNIX seconds. */
  readonly time: number
}

/** The share of one wallet in a distribution. */
export interface Payment {
  readonly distribution: number
  readonly participant: number
  /** `0x` and 40 lower-case hex digits. */
  readonly wallet: string
  readonly amount: bigint
  /** Hundredths of a percent: a share of all samples; for provider and validator, of the fees. */
  readonly hundredths: bigint
}

/** Writes a distribution with its payments. */
export function addDistribution(
  store: LedgerStore,
  distribution: Distribution,
  payments: readonly Omit<Payment, 'distribution'>[],
): void {
  const { id, market, liquidityFees, providerFees, validatorFees, liquidityCount, blockCount, time } = distribution
  const fields = [market, liquidityFees, providerFees, validatorFees, liquidityCount, blockCount, time]
  store.put(marketKey('distribution', countPart(id)), fields.join(' '))
  store.put(marketKey('distribution-of', countPart(market), countPart(id)), '')
  for (const { participant, wallet, amount, hundredths } of payments) {
    store.put(marketKey('payment', countPart(id), countPart(participant)), `${wallet} ${amount} ${hundredths}`)
    store.put(marketKey('payment-of', wallet, countPart(id)), countPart(participant))
  }
}

/** Finds a distribution by its id. */
export function findDistribution(store: LedgerStore, id: number): Distribution | undefined {
  const text = store.get(marketKey('distribution', countPart(id)))
  if (text === undefined) return undefined
  // Rows are whole, as `addDistribution` writes them: the zeros, here and of payments, satisfy the compiler.
  const [market, liquidity = '0', provider = '0', validator = '0', count, blocks, time] = text.split(' ')
  return {
    id,
    market: Number(market),
    liquidityFees: BigInt(liquidity),
    providerFees: BigInt(provider),
    validatorFees: BigInt(validator),
    liquidityCount: Number(count),
    blockCount: Number(blocks),
    time: Number(time),
  }
}

/** The distributions of a market, the newest first. */
export function* listDistributions(store: LedgerStore, market: bigint | null): Generator<Distribution> {
  const id = toId(market)
  if (id === undefined) return
  const range = { ...marketKeysUnder('distribution-of', countPart(id)), isReverse: true }
  yield* listIndexed(store, range, (name) => findDistribution(store, parseCountPart(name)))
}

/** The payments of a distribution, by the numbers of the wallets. */
export function* listPayments(store: LedgerStore, distribution: bigint | null): Generator<Payment> {
  const id = toId(distribution)
  if (id === undefined) return
  for (const [key, value] of store.list(marketKeysUnder('payment', countPart(id)))) {
    yield parsePayment(id, parseCountPart(lastPart(key)), value)
  }
}

/** The shares of a wallet, `0x` and 40 lower-case hex digits, in all distributions, the newest first. */
export function* listPaymentsTo(store: LedgerStore, wallet: string): Generator<Payment> {
  if (!/^0x[0-9a-f]{40}$/.test(wallet)) return
  for (const [key, participant] of store.list({ ...marketKeysUnder('payment-of', wallet), isReverse: true })) {
    const id = lastPart(key)
    const value = store.get(marketKey('payment', id, participant))
    if (value !== undefined) yield parsePayment(parseCountPart(id), parseCountPart(participant), value)
  }
}

function parsePayment(distribution: number, participant: number, text: string): Payment {
  const [wallet = '', amount = '0', hundredths = '0'] = text.split(' ')
  return { distribution, participant, wallet, amount: BigInt(amount), hundredths: BigInt(hundredths) }
}
