/** Transactions that the node signs itself: those of the seed network, and those that settle markets. */

import { encodeActionExecution } from '../streamnet/codec/payload.ts'
import { toTypedValue } from '../streamnet/codec/value.ts'
import { type SyncSigner, transactionMessageSync } from '../streamnet/signing/sync-signer.ts'
import type { ActionArg, SignedTransaction, UnsignedTransaction } from '../streamnet/types.ts'
import { expectedNonce, findPrice } from './admission.ts'
import type { LedgerStore } from './ports.ts'
import type { NodeSettings } from './settings.ts'

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
  const unsigned: UnsignedTransaction = {
    description,
    payload,
    payloadType: 'execute',
    fee: findPrice(settings, 'execute') ?? 0n,
    nonce: expectedNonce(store, signer.address),
    chainId: settings.chainId,
    sender: signer.address,
  }
  return { ...unsigned, signature: signer.signMessage(transactionMessageSync(unsigned)) }
}
