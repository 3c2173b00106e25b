/** Signing in at a gateway that asks who is there. */

import { encodeBase64 } from '../../base/base64.ts'
import { signatureType } from '../codec/transaction.ts'
import { StreamNetError } from '../errors.ts'
import type { Client } from '../ports.ts'
import { type SignInRequest, signInMessage } from '../signing/message.ts'
import type { Signer } from '../signing/signer.ts'
import { readBudget, type Transport } from './transport.ts'

/**
 * Signs in: fetches what to sign, checks that it is about this gateway, signs it, and sends it. The transport
 * keeps the session's cookie.
 *
 * @param chainId - the chain the caller means to talk to, when it knows one.
 * @throws StreamNetError unauthenticated when the gateway asks for a signature that is good elsewhere.
 */
export async function signIn(transport: Transport, signer: Signer, chainId?: string): Promise<void> {
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
export function signInOnce(client: Client, signer: Signer): Promise<void> {
  const { transport } = client
  const running = signingIn.get(transport)
  if (running) return running
  const started = signIn(transport, signer, client.chainId).finally(() => signingIn.delete(transport))
  signingIn.set(transport, started)
  return started
}

/** Tells a gateway's refusal from a node's, whose answer is a signature over a challenge. */
export function needsSignIn(error: StreamNetError<'unauthenticated'>): boolean {
  return /not authorized|HTTP 401/i.test(error.data.reason)
}
