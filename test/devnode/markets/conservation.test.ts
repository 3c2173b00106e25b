/** No sequence of orders, cancels, changes and settlements makes or loses a unit of collateral, or an orphan share. */

import { expect, test } from 'vitest'
import type { ActionContext } from '#devnode/actions/action.ts'
import { DevnodeError } from '#devnode/errors.ts'
import { checkCollateral } from '#devnode/markets/collateral.ts'
import { changeAsk, changeBid } from '#devnode/markets/order-changes.ts'
import { cancel, placeBuy, placeSell, placeSplit } from '#devnode/markets/orders.ts'
import { sampleMarket } from '#devnode/markets/sampling.ts'
import { settleAs } from '#devnode/markets/settlement.ts'
import { createMemoryStore } from '#devnode/memory/store.ts'
import { createOverlay } from '#devnode/overlay.ts'
import type { LedgerStore } from '#devnode/ports.ts'
import { profiles } from '#devnode/profiles.ts'
import { createBudget } from '#devnode/queries/reader.ts'
import { readBalance, setBalance } from '#devnode/state/balances.ts'
import { listLevels, listOrders } from '#devnode/state/market-book.ts'
import { findParticipant } from '#devnode/state/market-participants.ts'
import { listMarketPositions, listWalletPositions } from '#devnode/state/market-positions.ts'
import { readVault } from '#devnode/state/market-totals.ts'
import { addMarket, findMarket, type Market } from '#devnode/state/markets.ts'
import { questionOf } from '../../support/markets.ts'
import { sweep } from '../../support/sweep.ts'

const sequences = sweep(2_000, 50)
const steps = 12
const bridge = 'hoodi_tt2'
const funds = 10n ** 21n
const address = (last: string) => `0x${last.padStart(40, '0')}`
const traders = ['a1', 'b2', 'c3'].map(address)
/** Further receivers of fees: the provider of the questions, and the leader of the blocks. */
const others = ['0x7e5f4552091a69125d5dfcb7b8c2659029395bdf', address('f0')]

/** Numbers from 0 up to a bound, the same in every run (xorshift of 32 bits). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

function contextOf(store: LedgerStore, caller: string, height: number): ActionContext {
  return {
    store,
    budget: createBudget(100_000),
    profile: profiles.head,
    caller,
    isAgent: false,
    txId: '0'.repeat(64),
    height,
    blockTime: 1000 + height,
    leader: others[1] ?? '',
    hasNodeKey: true,
    call: () => [],
    notice: () => undefined,
    nextRowId: () => '',
    claimId: () => {},
  }
}

/** One thing that a trader does, at chance; most orders are near the middle, so that they meet. */
function act(context: ActionContext, market: Market, next: (below: number) => number): void {
  const query_id = BigInt(market.id)
  const outcome = next(2) === 0
  const price = BigInt(46 + next(9))
  const amount = BigInt(1 + next(30))
  const participant = findParticipant(context.store, context.caller) ?? 0
  const own = [...listWalletPositions(context.store, market, participant)]
  const one = own[next(Math.max(1, own.length))]
  const old_price = BigInt(one?.price ?? 50)
  const change = { query_id, outcome: one?.outcome ?? outcome, new_amount: amount }
  const acts = [
    () => placeSplit(context, { query_id, true_price: price, amount }),
    () => placeBuy(context, { query_id, outcome, price, amount }),
    () => placeBuy(context, { query_id, outcome, price, amount }),
    () => placeSell(context, { query_id, outcome, price, amount }),
    () => cancel(context, { query_id, outcome: one?.outcome ?? outcome, price: old_price }),
    () => changeBid(context, { ...change, old_price, new_price: -price }),
    () => changeAsk(context, { ...change, old_price, new_price: price }),
  ]
  acts[next(acts.length)]?.()
}

/** As a transaction does: what is refused leaves nothing. */
function attempt(store: LedgerStore, run: (store: LedgerStore) => void): boolean {
  const overlay = createOverlay(store)
  try {
    run(overlay)
  } catch (error) {
    if (error instanceof DevnodeError) return false
    throw error
  }
  overlay.commit()
  return true
}

/** All tokens there are: of wallets and of the vault. */
function tokensIn(store: LedgerStore): bigint {
  const wallets = [...traders, ...others].map((wallet) => readBalance(store, bridge, wallet))
  return wallets.reduce((sum, amount) => sum + amount, readVault(store, bridge))
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)

/** Compares the index of orders and the sums of prices with the positions. */
function isIndexed(store: LedgerStore, market: Market): boolean {
  const orders = [...listMarketPositions(store, market)].filter(({ price }) => price !== 0)
  return [true, false].every((outcome) =>
    (['bid', 'ask'] as const).every((side) => {
      const own = orders.filter((one) => one.outcome === outcome && one.price > 0 === (side === 'ask'))
      const indexed = [...listOrders(store, { market, outcome, side })].map(({ amount }) => amount)
      const volumes = [...listLevels(store, { market, outcome, side })].map(({ volume }) => volume)
      const wanted = sum(own.map(({ amount }) => amount))
      return indexed.length === own.length && sum(indexed) === wanted && sum(volumes) === wanted
    }),
  )
}

function openMarkets(store: LedgerStore): readonly Market[] {
  for (const wallet of traders) setBalance(store, bridge, wallet, funds)
  return [1, 2].map((threshold) =>
    addMarket(store, {
      hash: String(threshold).padStart(64, '0'),
      components: questionOf(threshold),
      bridge,
      settleTime: 10n ** 9n,
      maxSpread: 5n,
      minOrderSize: 1n,
      createdAt: 1,
      creator: traders[0] ?? '',
    }),
  )
}

test(`over ${sequences} sequences of ${steps} steps`, () => {
  let [done, settled] = [0, 0]
  for (let sequence = 1; sequence <= sequences; sequence++) {
    const next = numbersFrom(sequence)
    const store = createMemoryStore()
    const markets = openMarkets(store)
    const total = tokensIn(store)
    for (let step = 1; step <= steps; step++) {
      const market = findMarket(store, markets[next(2)]?.id)
      if (market === undefined) throw new Error('a market is gone')
      const caller = traders[next(traders.length)] ?? ''
      const ending = next(25) === 0
      const isDone = attempt(store, (overlay) => {
        const context = contextOf(overlay, caller, step)
        if (!ending) act(context, market, next)
        else if (market.settlement === undefined) settleAs(context, market, next(2) === 0)
      })
      if (next(10) === 0 && market.settlement === undefined) {
        sampleMarket(store, market, step, () => undefined)
      }
      if (isDone) done++
      if (isDone && ending) settled++
      const { hasParity, vault, expected } = checkCollateral(store, market)
      if (tokensIn(store) !== total || !hasParity || vault < expected) {
        expect([sequence, step, tokensIn(store), hasParity, vault]).toEqual([sequence, step, total, true, expected])
      }
    }
    if (!markets.every((market) => isIndexed(store, market))) expect(`index of sequence ${sequence}`).toBe('right')
  }
  // Enough of them did something for the claim to mean anything.
  expect(done).toBeGreaterThan(sequences * steps * 0.4)
  expect(settled).toBeGreaterThan(sequences * 0.3)
})
