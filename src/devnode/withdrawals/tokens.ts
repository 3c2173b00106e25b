/** Moves tokens of a bridge between wallets and out of the network, and writes it into the history. */

import type { ActionContext } from '../actions/action.ts'
import { engineError } from '../errors.ts'
import type { Bridge } from '../profiles.ts'
import { moveBalance, readBalance, setBalance } from '../state/balances.ts'
import { addClaim, findOpenEpoch } from '../state/epochs.ts'
import { addMovement, type Movement } from '../state/movements.ts'

/** Moves the caller's tokens to another wallet; engine_failed for a malformed address or lack of tokens. */
export function transferTokens(context: ActionContext, bridge: Bridge, to: string, amount: bigint): void {
  const { store, caller } = context
  assertMayMove(context, 'transfer', to)
  const recipient = parseHexAddress(to)
  const balance = readBalance(store, bridge, caller)
  if (balance < amount) throw engineError(`insufficient balance: have ${balance}, need ${amount}`)
  moveBalance(store, bridge, { from: caller, to: recipient, amount })
  addMovement(store, bridge, makeMovement(context, { type: 'transfer', to: recipient, amount, epoch: null }))
}

/**
 * Takes the caller's tokens out of the network: they join the open epoch, which a wallet of the other chain may claim.
 * Engine_failed when the address or the amount is malformed, or the caller has too few.
 */
export function withdrawTokens(context: ActionContext, bridge: Bridge, to: string, amount: bigint): void {
  const { store, caller } = context
  assertMayMove(context, 'bridge')
  if (to === '') throw engineError('recipient must be provided')
  const recipient = parseHexAddress(to)
  if (amount <= 0n) throw engineError('amount needs to be positive')
  const balance = readBalance(store, bridge, caller)
  if (balance < amount) throw engineError('insufficient balance')
  const epoch = findOpenEpoch(store, bridge)?.start ?? context.height
  setBalance(store, bridge, caller, balance - amount)
  addClaim(store, bridge, epoch, { recipient, amount })
  addMovement(store, bridge, makeMovement(context, { type: 'withdrawal', to: recipient, amount, epoch }))
}

/** Reads an address, `0x` in front or not, as `0x` and 40 lower-case hex digits; engine_failed for another form. */
export function parseHexAddress(text: string): string {
  const digits = /^(?:0[xX])?([0-9a-fA-F]{40})$/.exec(text)?.[1]
  if (digits === undefined) throw engineError(`invalid ethereum address: ${text}`)
  return `0x${digits.toLowerCase()}`
}

/**
 * Refuses a movement of tokens, by the network's name of it, by the agent of a wallet: engine_failed, unless it goes
 * to the leader, as the fee of an action.
 */
function assertMayMove({ isAgent, leader }: ActionContext, operation: string, to?: string): void {
  if (!isAgent || to?.toLowerCase() === leader) return
  throw engineError(
    `${operation} is not allowed under a restricted agent (MAA) execution: the restricted key cannot move funds out of the agent wallet`,
  )
}

function makeMovement(
  { caller, txId, height, blockTime }: ActionContext,
  { type, to, amount, epoch }: Pick<Movement, 'type' | 'to' | 'amount' | 'epoch'>,
): Movement {
  // Stored in this order.
  return { type, amount, from: caller.toLowerCase(), to, txId, height, blockTime, external: null, epoch }
}
