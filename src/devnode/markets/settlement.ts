/** Settlement: an attestation of the market's own question decides, and everything in the market is paid out. */

import { decodeBoolean, decodeDataPoints } from '../../streamnet/codec/abi.ts'
import { decodeAttestation, isBinaryAction } from '../../streamnet/codec/attestation.ts'
import type { ActionContext } from '../actions/action.ts'
import { actionError } from '../errors.ts'
import { findSignedAttestation, isRequested } from '../state/attestations.ts'
import { readWallet } from '../state/market-participants.ts'
import type { Position } from '../state/market-places.ts'
import { listMarketPositions, putPosition } from '../state/market-positions.ts'
import { type Market, putSettlement } from '../state/markets.ts'
import { checkCollateral, computeWorth, unlock } from './collateral.ts'
import { distributeFees } from './fees.ts'
import { recordOrderEvent } from './matching.ts'
import { requireMarket } from './order-checks.ts'
import { sampleMarket } from './sampling.ts'

/** Cents that a winning share pays; the rest of its dollar is the fee. */
const payOut = 98

/** Settles a due market by the attestation signed last; action_failed, with checks in the network's order. */
export function settleMarket(context: ActionContext, queryId: bigint | null): void {
  const market = requireSettleable(context, queryId)
  const attestation = findSignedAttestation(context.store, market.hash)
  if (attestation === undefined) {
    throw actionError(
      isRequested(context.store, market.hash)
        ? 'Attestation not yet signed by validator. Please wait for signing to complete.'
        : 'Attestation not found for market hash. Market cannot be settled without attestation.',
    )
  }
  settleAs(context, market, readOutcome(attestation.payload))
}

/** Pays all holders out, shares the fees, and marks the market as settled. */
export function settleAs(context: ActionContext, market: Market, winningOutcome: boolean): void {
  const { store } = context
  const positions = [...listMarketPositions(store, market)]
  for (const position of positions) recordSettled(context, market, position, winningOutcome)
  sampleMarket(store, market, context.height, context.notice)
  let fees = 0n
  for (const position of positions) {
    const { price, amount, outcome } = position
    putPosition(store, { ...position, market }, undefined)
    if (price >= 0 && outcome !== winningOutcome) continue
    const cents = price < 0 ? -price : payOut
    unlock(store, market.bridge, readWallet(store, position.participant), computeWorth(market.bridge, amount, cents))
    if (price >= 0) fees += computeWorth(market.bridge, amount, 100 - payOut)
  }
  if (fees > 0n) distributeFees(context, market, fees)
  putSettlement(store, market, { winningOutcome, at: context.blockTime })
}

function requireSettleable({ store, blockTime }: ActionContext, queryId: bigint | null): Market {
  if (queryId !== null && queryId < 1n) throw actionError('Invalid query_id')
  const market = requireMarket(store, queryId, `Market not found for query_id: ${queryId}`)
  assertSound(store, market)
  if (market.settlement !== undefined) throw actionError('Market has already been settled')
  if (BigInt(blockTime) < market.settleTime) {
    throw actionError(`Settlement time not yet reached. settle_time: ${market.settleTime}, current time: ${blockTime}`)
  }
  return market
}

/** Refuses a market whose shares or collateral do not add up. */
function assertSound(store: ActionContext['store'], market: Market): void {
  const { hasParity, isBacked, totals, vault, expected } = checkCollateral(store, market)
  const { trueShares, falseShares } = totals
  if (!hasParity) {
    throw actionError(
      `Cannot settle market: Binary token parity violation. TRUE shares=${trueShares}, FALSE shares=${falseShares}. Orphan shares detected - this indicates an accounting bug.`,
    )
  }
  if (!isBacked && trueShares > 0n) {
    throw actionError(
      `Cannot settle market: Vault collateral mismatch. Expected=${expected} base units, Actual=${vault} base units. This indicates missing or excess collateral.`,
    )
  }
}

function recordSettled(
  context: ActionContext,
  market: Market,
  { participant, outcome, price, amount }: Position,
  winningOutcome: boolean,
): void {
  const worth = outcome === winningOutcome ? payOut : 0
  const cents = price < 0 ? -price : worth
  recordOrderEvent(context, market, { participant, type: 'settled', outcome, price: cents, amount })
}

/** The numeric actions of a settlement: records, indexes, changes, the last and the first record. */
const lastNumericAction = 5

/**
 * Reads the outcome of a payload: a binary action's own answer, or whether the last value is above zero. Action_failed
 * when a binary result is not 32 bytes (one that was attested before its time has two empty lists), there is no value,
 * or the action settles nothing; the text is the network's.
 */
export function readOutcome(payload: Uint8Array): boolean {
  const { actionId, result } = decodeAttestation(payload)
  if (isBinaryAction(actionId)) return binaryOutcome(result)
  if (actionId < 1 || actionId > lastNumericAction) throw actionError(`unsupported action_id ${actionId}`)
  const last = decodeDataPoints(result).at(-1)
  if (last === undefined) throw actionError('result payload contains no values')
  return last[1] > 0n
}

function binaryOutcome(result: Uint8Array): boolean {
  if (result.length === 32) return decodeBoolean(result)
  throw actionError(`binary action result must be 32 bytes (abi-encoded bool), got ${result.length}`)
}
