/** From an action and its arguments to a transaction that lacks nothing but a signature. */

import { encodeExecution } from '../codec/payload.ts'
import { toTypedValue } from '../codec/value.ts'
import { invalidArgument, malformedResponse } from '../errors.ts'
import type { Client } from '../ports.ts'
import { accountIdToJson, transactionToJson } from '../rpc/transaction-json.ts'
import type { Signer } from '../signing/signer.ts'
import type { ActionArg, Payload, UnsignedTransaction } from '../types.ts'

/** Encodes the calls of an action, which run in one transaction, all or none; invalid_argument for a malformed one. */
export function encodeCalls(action: string, calls: readonly (readonly ActionArg[])[]): Uint8Array {
  return encodeExecution(
    action,
    calls.map((args) => args.map(toTypedValue)),
  )
}

/**
 * Builds a transaction. The fee is 0 on a chain without fees, else what the node estimates.
 *
 * @throws StreamNetError invalid_argument when the node finds the request too large to estimate.
 * @throws StreamNetError malformed_response when the price is not an integer.
 */
export async function buildTransaction(
  client: Client,
  payload: Payload,
  nonce: number,
  description = '',
): Promise<UnsignedTransaction> {
  const { chainId, hasFees } = await client.chain()
  const free = {
    description,
    payload: payload.bytes,
    payloadType: payload.type,
    chainId,
    sender: requireSigner(client).address,
  }
  const fee = hasFees ? await estimateFee(client, free) : 0n
  return { ...free, fee, nonce }
}

/** The client's signer; invalid_argument when it has none. */
export function requireSigner(client: Client): Signer {
  if (client.signer === undefined) throw invalidArgument('Cannot write: the client has no private key or signer')
  return client.signer
}

/**
 * Asks the node for the account's next nonce, counting what waits in its pool.
 *
 * @throws StreamNetError invalid_argument when the client has no signer.
 * @throws StreamNetError malformed_response when the nonce is not an integer.
 */
export async function readNextNonce(client: Client): Promise<number> {
  const id = accountIdToJson(requireSigner(client).address)
  const { nonce } = await client.request('user.account', { id, status: 1 })
  if (!Number.isSafeInteger(nonce)) {
    throw malformedResponse('Cannot read the nonce: it is not an integer')
  }
  return nonce + 1
}

async function estimateFee(client: Client, transaction: Omit<UnsignedTransaction, 'fee' | 'nonce'>): Promise<bigint> {
  const { price } = await client.request('user.estimate_price', { tx: transactionToJson(transaction) })
  if (!/^\d+$/.test(price)) {
    throw malformedResponse('Cannot read the price: it is not an integer')
  }
  return BigInt(price)
}
