/** Authentication of calls of the local streams: the operator, by a signature over the exact text of the call. */

import type { ExactJson } from '../../base/canonical-json.ts'
import { decodeHex, encodeHex } from '../../base/hex.ts'
import { isCanonicalSignature } from '../../streamnet/signing/digest.ts'
import { localAuthVersion } from '../../streamnet/signing/local-auth.ts'
import { digestLocalAuthSync } from '../../streamnet/signing/sync-signer.ts'
import { DevnodeError } from '../errors.ts'
import { joinKey, keysUnder } from '../keys.ts'
import type { Node } from '../node.ts'
import { findSigner } from '../recovery.ts'

const replays = 'local-replay'
const maxRemembered = 100_000

/** Parameters as they were sent, numbers exact. */
export type ExactParams = Readonly<Record<string, ExactJson>>

/** Checks that a call is signed by the operator, now, and for the first time; local_invalid otherwise. */
export function authenticateLocal(node: Node, method: string, params: ExactParams): void {
  const { _auth: auth, ...rest } = params
  if (typeof auth !== 'object' || auth === null || Array.isArray(auth)) throw refuse('missing _auth')
  // An object that is not a list; its members are checked one by one.
  const { ver, sig, ts: stamp } = auth as ExactParams
  if (ver !== localAuthVersion) throw refuse('unsupported auth version')
  if (typeof sig !== 'string' || sig === '') throw refuse('missing signature')
  const ts = Number(typeof stamp === 'bigint' || typeof stamp === 'number' ? stamp : 0)
  if (!(ts > 0)) throw refuse('invalid timestamp')
  if (Math.abs(node.nowMs - ts) > node.settings.replayWindowMs) throw refuse('timestamp outside window')
  const signature = readSignature(sig)
  if (recoverSigner(method, rest, ts, signature) !== node.settings.operator) {
    throw refuse("signer is not this node's operator")
  }
  remember(node, signature)
}

function readSignature(sig: string): Uint8Array {
  let bytes: Uint8Array
  try {
    bytes = decodeHex(sig.replace(/^0x/, ''))
  } catch {
    throw refuse('malformed signature')
  }
  if (bytes.length !== 65) throw refuse('signature must be 65 bytes')
  // A second form of a signature would be taken a second time.
  if (!isCanonicalSignature(bytes)) throw refuse('signature is not canonical: s is above half the order')
  return bytes
}

function recoverSigner(method: string, params: ExactParams, ts: number, signature: Uint8Array): string {
  const signer = findSigner(digestLocalAuthSync(method, params, ts), signature)
  if (signer === undefined) throw refuse('signature recovery failed')
  return signer
}

/** Refuses a signature that was used inside the window; the recovery byte has two forms and counts for nothing. */
function remember({ store: { lasting: store }, nowMs, settings }: Node, signature: Uint8Array): void {
  const key = joinKey(replays, encodeHex(signature.subarray(0, 64)))
  if (store.get(key) !== undefined) throw refuse('replay detected')
  const remembered = [...store.list(keysUnder(replays))]
  for (const [old, expiry] of remembered) if (Number(expiry) < nowMs) store.delete(old)
  if (remembered.length >= maxRemembered) store.delete(remembered[0]?.[0] ?? '')
  // A stamp may lie a window ahead of the clock, and is good for one more behind it.
  store.put(key, String(nowMs + 2 * settings.replayWindowMs))
}

function refuse(reason: string): DevnodeError {
  return new DevnodeError('local_invalid', 'tn_local: unauthenticated', { data: { reason } })
}
