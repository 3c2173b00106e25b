/** Attestations: what was asked for, what the validator has signed, and what waits for a signature. */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { countPart, joinKey, keysUnder, lastPart, listIndexed, parseCountPart, readJson, removeUnder } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'

/** A requested attestation. */
export interface Attestation {
  /** Hash of the transaction that asked for it: 64 lower-case hex digits, as all hashes here. */
  readonly requestTxId: string
  /** Of version, algorithm, provider, stream, action and arguments; a market of the same question has it too. */
  readonly hash: string
  /** `0x` and 40 lower-case hex digits. */
  readonly requester: string
  /** As the request wrote it; null where the request left it out. */
  readonly dataProvider: string | null
  readonly streamId: string | null
  /** The payload that the validator signs, see `encodeAnswer`. */
  readonly payload: Uint8Array
  /** Height of the block that ran the query. */
  readonly createdHeight: number
  /** Undefined until the validator has signed. */
  readonly seal: Seal | undefined
}

/** A validator's signature of an attestation. */
export interface Seal {
  /** 65 bytes R, S, V with V 27 or 28, over the SHA-256 of the payload. */
  readonly signature: Uint8Array
  /** The validator: `0x` and 40 lower-case hex digits. */
  readonly validator: string
  /** Height of the block with the signature. */
  readonly signedHeight: number
}

interface SignedAttestation extends Attestation {
  readonly seal: Seal
}

const attestations = 'attestation'
const byHash = 'attestation-hash'
const byHeight = 'attestation-height'
const byRequester = 'attestation-requester'
const unsigned = 'attestation-unsigned'

/** The members of an entry, its key apart; bytes in base64. */
interface Entry extends Omit<Attestation, 'requestTxId' | 'payload' | 'seal'> {
  readonly payload: string
  readonly seal?: Omit<Seal, 'signature'> & { readonly signature: string }
}

/** Adds an attestation that waits for its signature. */
export function addAttestation(store: LedgerStore, attestation: Omit<Attestation, 'seal'>): void {
  const { requestTxId, hash, requester, createdHeight } = attestation
  putAttestation(store, { ...attestation, seal: undefined })
  store.put(joinKey(byHash, hash, requestTxId), '')
  store.put(joinKey(byHeight, countPart(createdHeight), requestTxId), '')
  store.put(joinKey(byRequester, requester, countPart(createdHeight), requestTxId), hash)
  store.put(joinKey(unsigned, hash), '')
}

/** Finds an attestation by the transaction that asked for it. */
export function findAttestation(store: LedgerStore, requestTxId: string): Attestation | undefined {
  if (!/^[0-9a-f]{64}$/.test(requestTxId)) return undefined
  const entry = readJson<Entry>(store, joinKey(attestations, requestTxId))
  if (entry === undefined) return undefined
  const { payload, seal, ...rest } = entry
  return {
    ...rest,
    requestTxId,
    payload: decodeBase64(payload),
    seal: seal && { ...seal, signature: decodeBase64(seal.signature) },
  }
}

/** Tells whether a wallet has asked for the same attestation in the same block already. */
export function hasRequested(
  store: LedgerStore,
  { requester, createdHeight, hash }: Pick<Attestation, 'requester' | 'createdHeight' | 'hash'>,
): boolean {
  for (const [, other] of store.list(keysUnder(byRequester, requester, countPart(createdHeight)))) {
    if (other === hash) return true
  }
  return false
}

/** The attestations with a hash, in the order of their transactions' hashes. */
export function* listByHash(store: LedgerStore, hash: string): Generator<Attestation> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return
  yield* listIndexed(store, keysUnder(byHash, hash), (requestTxId) => findAttestation(store, requestTxId))
}

/** The height at which an attestation was asked for, and the transaction. */
export type AttestationName = Pick<Attestation, 'createdHeight' | 'requestTxId'>

/** Names of all attestations, or of those of one wallet, lowest height first. */
export function* listNames(store: LedgerStore, requester?: string): Generator<AttestationName> {
  const range = requester === undefined ? keysUnder(byHeight) : keysUnder(byRequester, requester)
  for (const [key] of store.list(range)) {
    const [height = '', requestTxId = ''] = key.split('/').slice(-2)
    yield { createdHeight: parseCountPart(height), requestTxId }
  }
}

/**
 * The attestation that settles the market with this hash; undefined when none is signed. It is the one signed last, and
 * of several signed in one block the one asked for first: the network orders them by their payloads, which tell the
 * height in front of all that differs.
 */
export function findSignedAttestation(store: LedgerStore, hash: string): SignedAttestation | undefined {
  let found: SignedAttestation | undefined
  for (const { seal, ...rest } of listByHash(store, hash)) {
    if (seal === undefined) continue
    const later = seal.signedHeight - (found?.seal.signedHeight ?? -1)
    if (later > 0 || (later === 0 && rest.createdHeight < (found?.createdHeight ?? 0))) found = { ...rest, seal }
  }
  return found
}

/** Tells whether an attestation with this hash was asked for, signed or not. */
export function isRequested(store: LedgerStore, hash: string): boolean {
  return !listByHash(store, hash).next().done
}

/** Tells whether a request waits for the signature of the next block. */
export function awaitsSignature(store: LedgerStore): boolean {
  for (const _ of store.list(keysUnder(unsigned))) return true
  return false
}

/** Takes the hashes that wait for a signature, each once. One that is lost then waits until it is asked for again. */
export function takeUnsigned(store: LedgerStore): readonly string[] {
  return removeUnder(store, unsigned).map(([key]) => lastPart(key))
}

/** Writes an attestation in place of what it was. */
export function putAttestation(store: LedgerStore, { requestTxId, payload, seal, ...rest }: Attestation): void {
  const entry: Entry = {
    ...rest,
    payload: encodeBase64(payload),
    ...(seal && { seal: { ...seal, signature: encodeBase64(seal.signature) } }),
  }
  store.put(joinKey(attestations, requestTxId), JSON.stringify(entry))
}
