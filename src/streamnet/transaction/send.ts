/** The story of a change: encode, number, sign, broadcast, wait. */

import type { Client, SendOptions } from '../ports.ts'
import type { ActionArg, Payload, TxHash } from '../types.ts'
import { broadcastTransaction } from './broadcast.ts'
import { buildTransaction, encodeCalls, readNextNonce, requireSigner } from './build.ts'
import { signTransaction } from './sign.ts'
import { waitForSuccess } from './wait.ts'

/**
 * Sends one transaction in which an action runs once for each list of arguments, and returns its hash.
 *
 * @param action - its name on the network.
 * @param calls - one list of arguments for each run; all succeed or none.
 * @throws StreamNetError invalid_argument when the client has no signer or an argument cannot be encoded;
 * nothing was sent.
 * @throws StreamNetError transaction_failed when it waits and the transaction failed in its block.
 * @throws StreamNetError timeout when it waits and the transaction is in no block in time.
 * @throws StreamNetError as `broadcastTransaction` does.
 */
export async function sendTransaction(
  client: Client,
  action: string,
  calls: readonly (readonly ActionArg[])[],
  options: SendOptions = {},
): Promise<TxHash> {
  requireSigner(client)
  return sendPayload(client, { type: 'execute', bytes: encodeCalls(action, calls) }, options)
}

/**
 * Sends one transaction with an encoded payload, and returns its hash.
 *
 * @throws StreamNetError as `sendTransaction` does.
 */
export async function sendPayload(
  client: Client,
  payload: Payload,
  { wait = true, description, ...waiting }: SendOptions = {},
): Promise<TxHash> {
  const signer = requireSigner(client)
  const hash = await client.nonces.use(
    () => readNextNonce(client),
    async (nonce) => {
      const transaction = await buildTransaction(client, payload, nonce, description)
      return broadcastTransaction(client, await signTransaction(transaction, signer))
    },
  )
  if (wait) await waitForSuccess(client, hash, waiting)
  return hash
}
