/** Taking tokens back to the other chain: the withdrawal, its proof, and a check of the proof. */

import { encodeBase64 } from '../../base/base64.ts'
import { type BridgeParams, checkWei, requireNamespace, requirePrefix } from '../bridge-names.ts'
import { parseAddress } from '../ids.ts'
import type { Client, SendOptions } from '../ports.ts'
import { callAction } from '../rpc/call.ts'
import { type Row, readRows } from '../rpc/table.ts'
import { sendTransaction } from '../transaction/send.ts'
import type { TxHash } from '../types.ts'
import { type VerifiedWithdrawal, verifyProof, type WithdrawalProof } from '../withdrawal-proof.ts'

export type { VerifiedWithdrawal, WithdrawalProof } from '../withdrawal-proof.ts'

const proofShape = {
  chain: 'text',
  chain_id: 'text',
  contract: 'text',
  created_at: 'int',
  recipient: 'text',
  amount: 'decimal',
  block_hash: 'bytes',
  root: 'bytes',
  proofs: 'bytes[]',
  signatures: 'bytes[]',
} as const

/**
 * Burns tokens here so that they can be claimed on the other chain: the first step of a withdrawal.
 *
 * @param params - `recipient` is an address of the other chain, `amount` a whole number of wei as text.
 * @throws StreamNetError invalid_argument when the bridge is unknown, or the recipient or the amount
 * malformed.
 *
 * @example
 * const oneToken = `${10n ** 18n}`
 * await withdraw(client, { bridgeIdentifier: 'testnet_b', recipient: provider, amount: oneToken })
 */
export async function withdraw(
  client: Client,
  params: BridgeParams & { readonly amount: string; readonly recipient: string } & SendOptions,
): Promise<TxHash> {
  // The action takes the recipient first.
  const args = [parseAddress(params.recipient, 'recipient'), checkWei(params.amount)]
  return sendTransaction(client, `${requirePrefix(params)}_bridge_tokens`, [args], params)
}

/**
 * Reads the proofs of a wallet's confirmed withdrawals that have not been claimed yet.
 *
 * @param params - `wallet` is `0x` and 40 hex digits.
 * @throws StreamNetError invalid_argument when the bridge is unknown or the address malformed.
 *
 * @example
 * const proofs = await getWithdrawalProof(client, { bridgeIdentifier: 'testnet_b', wallet: provider })
 */
export async function getWithdrawalProof(
  client: Client,
  params: BridgeParams & { readonly wallet: string },
): Promise<readonly WithdrawalProof[]> {
  const wallet = parseAddress(params.wallet, 'wallet')
  const table = await callAction(client, `${requirePrefix(params)}_get_withdrawal_proof`, [wallet])
  return readRows(table, proofShape).map(({ createdAt, ...row }) => ({
    ...row,
    blockHeight: createdAt,
    blockHash: encodeBase64(row.blockHash),
    root: encodeBase64(row.root),
    proofs: row.proofs.map(encodeBase64),
    signatures: row.signatures.map(encodeBase64),
  }))
}

const rewardShape = {
  chain: 'text',
  chain_id: 'text',
  contract: 'text',
  created_at: 'int',
  param_recipient: 'text',
  param_amount: 'decimal',
  param_block_hash: 'bytes',
  param_root: 'bytes',
  param_proofs: 'bytes[]',
  param_signatures: 'bytes[]',
} as const

/** A claim of a wallet on the other chain, with what its contract takes; `createdAt` is a block height. */
export type WalletReward = Row<typeof rewardShape>

/**
 * Lists what a wallet may claim on the other chain, as the bridge's own namespace has it. `getWithdrawalProof` takes
 * its place where the network has that action.
 *
 * @param params - `wallet` is `0x` and 40 hex digits; `withPending` adds claims that are not signed yet.
 * @throws StreamNetError invalid_argument when the bridge is unknown or the address malformed.
 *
 * @example
 * const claims = await listWalletRewards(client, { bridgeIdentifier: 'testnet_b', wallet: provider })
 */
export async function listWalletRewards(
  client: Client,
  params: BridgeParams & { readonly wallet: string; readonly withPending?: boolean | undefined },
): Promise<readonly WalletReward[]> {
  const args = [parseAddress(params.wallet, 'wallet'), params.withPending ?? false]
  return readRows(await callAction(client, 'list_wallet_rewards', args, requireNamespace(params)), rewardShape)
}

/**
 * Checks a withdrawal's proof: it leads to its root, and says who signed.
 *
 * @param params - `proof` as `getWithdrawalProof` reads it: bytes in base64, the amount in wei.
 * @throws StreamNetError malformed_bytes when the leaf does not lead to the root, a part is not base64, or no
 * key fits a signature.
 * @throws StreamNetError invalid_argument when an address or the amount is malformed.
 *
 * @example
 * const proofs = await getWithdrawalProof(client, { bridgeIdentifier: 'testnet_b', wallet: provider })
 * for (const proof of proofs) console.log(verifyWithdrawalProof(client, { proof }).validators)
 */
export function verifyWithdrawalProof(
  _client: Client,
  params: { readonly proof: WithdrawalProof },
): VerifiedWithdrawal {
  return verifyProof(params.proof)
}
