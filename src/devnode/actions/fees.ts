/** Fees that an action takes from its caller, and their ledger rows. */

import { actionError } from '../errors.ts'
import { readBalance } from '../state/balances.ts'
import { type LedgerMethod, recordTransactionEvent } from '../state/transaction-events.ts'
import { transferTokens } from '../withdrawals/tokens.ts'
import type { ActionContext } from './action.ts'

/** A fee that has been paid. */
export interface Payment {
  readonly fee: bigint
  /** The address that received it; null when there was nothing to receive. */
  readonly recipient: string | null
}

/**
 * Moves a fee from the caller to the leader of the block, which is a transfer in the history of both; action_failed
 * with `refusal`, the network's text, when the caller has too little.
 */
export function chargeFee(context: ActionContext, fee: bigint, refusal: string): Payment {
  if (fee === 0n) return { fee, recipient: null }
  const { store, profile, caller, leader } = context
  if (readBalance(store, profile.feeBridge, caller) < fee) throw actionError(refusal)
  transferTokens(context, profile.feeBridge, leader, fee)
  return { fee, recipient: leader }
}

/** Writes the ledger row of a transaction; the first of a transaction stays. */
export function recordPayment(
  context: ActionContext,
  method: LedgerMethod,
  payment: Payment,
  metadata: string | null = null,
): void {
  recordTransactionEvent(context.store, {
    txId: `0x${context.txId}`,
    height: context.height,
    method,
    caller: context.caller.toLowerCase(),
    fee: payment.fee,
    recipient: payment.recipient,
    metadata,
  })
}
