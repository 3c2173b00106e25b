/** View calls of a signer that a private node or a gateway refused: the same call again, with proof of who asks. */

import { sha256 } from '@noble/hashes/webcrypto.js'
import { encodeBase64 } from '../../base/base64.ts'
import { signatureType } from '../codec/transaction.ts'
import { StreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { callMessage, type SignInRequest, signInMessage } from '../signing/message.ts'
import type { Signer } from '../signing/signer.ts'
import type { CallJson, RpcMethods } from './methods.ts'
import { hexToBase64 } from './transaction-json.ts'
import { readBudget, type Transport } from './transport.ts'

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

/**
 * Signs in: fetches what to sign, checks that it is about this gateway, signs it, and sends it. The transport
 * keeps the session's cookie.
 *
 * @param chainId - the chain the caller means to talk to, when it knows one.
 * @throws StreamNetError unauthenticated when the gateway asks for a signature that is good elsewhere.
 */
async function signIn(transport: Transport, signer: Signer, chainId?: string): Promise<void> {
  // The method's result as the gateway documents it; every member that matters is compared below.
  const request = (await transport.request('kgw.authn_param', {}, readBudget)) as SignInRequest
  const isOurs =
    request.domain === transport.url.origin &&
    request.version === '1' &&
    (chainId === undefined || request.chain_id === chainId)
  if (!isOurs) {
    const reason = `sign-in for "${request.domain}", version "${request.version}", chain "${request.chain_id}"`
    throw new StreamNetError(
      'unauthenticated',
      `Cannot sign in: the gateway asks for a ${reason}, expected ${transport.url.origin}, version 1`,
      { reason },
    )
  }
  const signature = await signer.signMessage(signInMessage(request))
  await transport.request('kgw.authn', {
    nonce: request.nonce,
    sender: signer.address.slice(2),
    signature: { sig: encodeBase64(signature), type: signatureType },
  })
}

// Keyed by transport, whose cookie the session is; gone with it.
const signingIn = new WeakMap<Transport, Promise<void>>()

/** Signs in, or waits for the sign-in that is under way. */
function signInOnce(client: Client, signer: Signer): Promise<void> {
  const { transport } = client
  const running = signingIn.get(transport)
  if (running) return running
  const started = signIn(transport, signer, client.chainId).finally(() => signingIn.delete(transport))
  signingIn.set(transport, started)
  return started
}

/** Tells a gateway's refusal from a node's, whose answer is a signature over a challenge. */
function needsSignIn(error: StreamNetError<'unauthenticated'>): boolean {
  return /not authorized|HTTP 401/i.test(error.data.reason)
}
