/** Idempotency keys: what makes two requests the same, and the answers to a request whose key cannot be used. */

import { encodeHex } from '#base/hex.ts'
import { toJson } from '#gateway/json.ts'
import type { Outcome } from '#gateway/outcome.ts'
import type { KeyedWrite } from '../storage/keyed-writes.ts'
import type { SignerTables } from '../storage/signer.ts'

/** An outcome, and whether an earlier request with the same key made it. */
export type WriteOutcome = Outcome & { readonly isReplay: boolean }

/** The milliseconds for which an idempotency key is remembered. */
const keyLifetimeMs = 24 * 3_600_000
/** The most keys that are remembered at once. */
const maxKeys = 20_000

/** Computes the fingerprint of checked parameters, whose names and values no longer differ by the caller's spelling. */
export async function computeFingerprint(operation: string, params: object): Promise<string> {
  const text = new TextEncoder().encode(`${operation}\n${JSON.stringify(toJson(params))}`)
  return encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', text)))
}

/** Finds the outcome that a known key has already; undefined when its write has none, and for a new key. */
export function findReplay(known: KeyedWrite | undefined, fingerprint: string): WriteOutcome | undefined {
  if (known !== undefined && known.fingerprint !== fingerprint) return conflict()
  return known?.outcome ? { ...known.outcome, isReplay: true } : undefined
}

function conflict(): WriteOutcome {
  const message = 'Cannot write: this Idempotency-Key was used for another request, expected a new one'
  return { ok: false, problem: { code: 'idempotency_conflict', message }, isReplay: false }
}

/** Forgets old keys, and refuses another one when too many are left; undefined when there is room. */
export function refuseKey(tables: SignerTables, nowMs: number): WriteOutcome | undefined {
  if (tables.expireWrites(nowMs - keyLifetimeMs) < maxKeys) return undefined
  const message = 'Cannot write: too many idempotency keys are remembered, try again later'
  return { ok: false, problem: { code: 'too_many', message }, isReplay: false }
}
