/** The method `user.call`: a view for the caller that is named, who signs for it at a private node. */

import { decodeHex, encodeHex } from '../../base/hex.ts'
import { decodeActionCall } from '../../streamnet/codec/payload.ts'
import { signatureType } from '../../streamnet/codec/transaction.ts'
import { addressFromBytes } from '../../streamnet/ids.ts'
import { digestPersonalMessage, isCanonicalSignature } from '../../streamnet/signing/digest.ts'
import { callMessageSync } from '../../streamnet/signing/sync-signer.ts'
import { isImpersonated } from '../admission.ts'
import { currentContext } from '../blocks.ts'
import { callerText } from '../caller.ts'
import { DevnodeError } from '../errors.ts'
import type { Node } from '../node.ts'
import { findSigner } from '../recovery.ts'
import { takeChallenge } from '../state/challenges.ts'
import { answerCall, decodeCall } from '../view-call.ts'
import { decodeBytes, invalidParams, isCurrent, type Params, type RpcHost, show } from './method.ts'

/** The result of `user.call`; at a private node the call must be signed. */
export function callAction({ node }: RpcHost, params: Params): object {
  const { body } = params
  if (typeof body !== 'object' || body === null) throw invalidParams('body is missing')
  // Read as a record of unknowns; each member is checked where it is used.
  const { payload: encoded, challenge } = body as Params
  const payload = decodeBytes(encoded, 'body.payload')
  const caller = readCaller(node, params)
  const isFree = isImpersonated(node.store, node.settings, caller.toLowerCase())
  if (node.settings.mode === 'private' && !isFree) authenticate(node, params, payload, challenge)
  const asked = decodeCall(payload)
  const { result, logs, error } = answerCall({ ...node, block: currentContext(node) }, caller, asked)
  return { query_result: result, logs, error }
}

/** The caller by the sender that is named: only its form is checked, because an open node verifies no sender. */
function readCaller(node: Node, { sender, auth_type }: Params): string {
  if (isCurrent(node) && auth_type && auth_type !== signatureType) {
    throw new DevnodeError('invalid_caller', `failed to get caller: unknown auth type ${show(auth_type)}`)
  }
  if (sender === undefined || sender === null || sender === '') return ''
  if (typeof sender !== 'string' || !/^([0-9a-fA-F]{2})+$/.test(sender)) {
    throw invalidParams('invalid sender: expected hex digits without 0x')
  }
  if (!auth_type) return ''
  const bytes = decodeHex(sender)
  if (bytes.length !== 20) {
    throw new DevnodeError('invalid_caller', `failed to get caller: invalid eth address with ${bytes.length} bytes`)
  }
  return callerText(addressFromBytes(bytes))
}

function authenticate(node: Node, params: Params, payload: Uint8Array, challenge: unknown): void {
  if (!params.signature || !params.sender) {
    throw new DevnodeError('challenge_required', 'signed call message with challenge required')
  }
  const bytes =
    challenge === undefined || challenge === null ? new Uint8Array() : decodeBytes(challenge, 'body.challenge')
  if (bytes.length !== 32) throw new DevnodeError('challenge_length', 'incorrect challenge data length')
  takeChallenge(node.store.lasting, encodeHex(bytes), node.nowMs)
  const signature = decodeBytes(params.signature, 'signature')
  if (recoverCaller(payload, encodeHex(bytes), signature) !== `0x${String(params.sender).toLowerCase()}`) {
    throw new DevnodeError('invalid_call_signature', 'invalid signature on call message')
  }
}

function recoverCaller(payload: Uint8Array, challenge: string, signature: Uint8Array): string | undefined {
  if (!isCanonicalSignature(signature)) return undefined
  try {
    const { namespace, action } = decodeActionCall(payload)
    const message = callMessageSync(namespace, action, payload, challenge)
    return findSigner(digestPersonalMessage(message), signature)
  } catch {
    // The payload cannot be read: there is no message.
    return undefined
  }
}
