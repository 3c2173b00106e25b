/** View calls of a signer that a private node or a gateway refused: the same call again, with proof of who asks. */

import { sha256 } from '@noble/hashes/webcrypto.js'
import { encodeBase64 } from '../../base/base64.ts'
import type { StreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { callMessage } from '../signing/message.ts'
import type { Signer } from '../signing/signer.ts'
import type { CallJson, RpcMethods } from './methods.ts'
import { needsSignIn, signInOnce } from './sign-in.ts'
import { hexToBase64 } from './transaction-json.ts'

/** A view call that was refused. */
export interface RefusedCall {
  readonly namespace: string
  readonly action: string
  readonly payload: Uint8Array
  /** The call as it was sent. */
  readonly open: CallJson
  readonly refusal: StreamNetError<'unauthenticated'>
}

/** Repeats a refused call with proof of who asks. An option of a client, so that who reads in public does not carry it. */
export type ProveCall = (
  client: Client,
  signer: Signer,
  call: RefusedCall,
) => Promise<RpcMethods['user.call']['result']>

/**
 * Repeats a refused call: signed over a challenge at a private node, after one sign-in at a gateway.
 *
 * @param client - what was refused.
 * @param signer - who asks.
 * @param call - what was asked, and the refusal.
 * @throws StreamNetError unauthenticated when the node asks for neither, or refuses the signature.
 *
 * @example
 * const reader = createClient({ endpoint: 'https://gateway.example', signer: createSigner('11'.repeat(32)), proveCall })
 */
export const proveCall: ProveCall = async (client, signer, { namespace, action, payload, open, refusal }) => {
  if (needsSignIn(refusal)) {
    await signInOnce(client, signer)
    return client.request('user.call', open)
  }
  if (!/challenge/.test(refusal.data.reason)) throw refusal
  const { challenge } = await client.request('user.challenge', {})
  const signature = await signer.signMessage(callMessage(namespace, action, await sha256(payload), challenge))
  return client.request('user.call', {
    ...open,
    body: { ...open.body, challenge: hexToBase64(challenge) },
    signature: encodeBase64(signature),
  })
}
