/** Transactions that the node signs itself: those of the seed network, and those that settle markets. */

import { encodeActionExecution } from '../streamnet/codec/payload.ts'
import { toTypedValue } from '../streamnet/codec/value.ts'
import { type SyncSigner, transactionMessageSync } from '../streamnet/signing/sync-signer.ts'
import type { ActionArg, SignedTransaction, UnsignedTransaction } from '../streamnet/types.ts'
import { findPrice } from './admission.ts'
import type { LedgerStore } from './ports.ts'
import type { NodeSettings } from './settings.ts'
import { findAccount } from './state/accounts.ts'
import { countPooled } from './state/chain.ts'

/** An action that a wallet of the node signs. */
export interface NodeAction {
  readonly action: string
  /** One list of arguments for each call of the action. */
  readonly calls: readonly (readonly ActionArg[])[]
  /** For people; at most 200 bytes. */
  readonly description: string
}

/** Signs an action as the next transaction of its wallet, with the fee that the chain asks for. */
export function signAction(
  store: LedgerStore,
  settings: NodeSettings,
  signer: SyncSigner,
  { action, calls, description }: NodeAction,
): SignedTransaction {
  const payload = encodeActionExecution({ namespace: '', action, calls: calls.map((args) => args.map(toTypedValue)) })
  const waiting = countPooled(store, signer.address.slice(2))
  const unsigned: UnsignedTransaction = {
    description,
    payload,
    payloadType: 'execute',
    fee: findPrice(settings, 'execute') ?? 0n,
    nonce: findAccount(store, signer.address).nonce + waiting + 1,
    chainId: settings.chainId,
    sender: signer.address,
  }
  return { ...unsigned, signature: signer.signMessage(transactionMessageSync(unsigned)) }
}
