/** Epochs of withdrawals: what the open one gathers, and what the ended ones say. */

import { decodeBase64, encodeBase64 } from '../../base/base64.ts'
import { countPart, joinKey, keysUnder, lastPart, listIndexed, parseCountPart, readJson } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import type { Bridge } from '../profiles.ts'

interface OpenEpoch {
  /** Height of the block that it began with; its name. */
  readonly start: number
  /** UNIX seconds of that block. */
  readonly startTime: number
}

/** An epoch that has ended. */
export interface EndedEpoch {
  readonly start: number
  readonly endHeight: number
  /** Hash of the block that ended it: 32 bytes. */
  readonly blockHash: Uint8Array
  /** Root of the tree of its withdrawals. */
  readonly root: Uint8Array
  /** The validators' signatures, 65 bytes each with V 27 or 28; it is confirmed when there are any. */
  readonly signatures: readonly Uint8Array[]
}

/** The claim of one wallet in an epoch. */
export interface Claim {
  /** `0x` and 40 lower-case hex digits. */
  readonly recipient: string
  readonly amount: bigint
  /** The claim's transaction on the other chain: 64 hex digits and a height; null until then. */
  readonly claimed: { readonly txId: string; readonly height: number } | null
}

const open = 'epoch-open'
const ended = 'epoch'
const claims = 'epoch-claim'
const byWallet = 'epoch-wallet'
const unconfirmed = 'epoch-unconfirmed'

/** The open epoch of a bridge; undefined before the first block. */
export function findOpenEpoch(store: LedgerStore, bridge: Bridge): OpenEpoch | undefined {
  const text = store.get(joinKey(open, bridge))
  if (text === undefined) return undefined
  const [start, startTime] = text.split(' ')
  return { start: Number(start), startTime: Number(startTime) }
}

/** Begins an epoch, or moves the beginning of the open one. */
export function putOpenEpoch(store: LedgerStore, bridge: Bridge, { start, startTime }: OpenEpoch): void {
  store.put(joinKey(open, bridge), `${start} ${startTime}`)
}

/** Adds to what a wallet may claim of an epoch. */
export function addClaim(store: LedgerStore, bridge: Bridge, start: number, added: Omit<Claim, 'claimed'>): void {
  const { recipient, amount } = added
  const before = findClaim(store, bridge, start, recipient)?.amount ?? 0n
  putClaim(store, bridge, start, { recipient, amount: before + amount, claimed: null })
  store.put(joinKey(byWallet, bridge, recipient, countPart(start)), '')
}

/** Finds the claim of a wallet in an epoch. */
export function findClaim(store: LedgerStore, bridge: Bridge, start: number, recipient: string): Claim | undefined {
  const text = store.get(joinKey(claims, bridge, countPart(start), recipient))
  return text === undefined ? undefined : readClaim(recipient, text)
}

/** Writes what a wallet may claim of an epoch, or has claimed. */
export function putClaim(store: LedgerStore, bridge: Bridge, start: number, claim: Claim): void {
  const { recipient, amount, claimed } = claim
  const text = claimed === null ? `${amount}` : `${amount} ${claimed.txId} ${claimed.height}`
  store.put(joinKey(claims, bridge, countPart(start), recipient), text)
}

/** All claims of an epoch, by the addresses of their wallets. */
export function* listClaims(store: LedgerStore, bridge: Bridge, start: number): Generator<Claim> {
  for (const [key, text] of store.list(keysUnder(claims, bridge, countPart(start)))) {
    yield readClaim(lastPart(key), text)
  }
}

/** Writes an epoch that has ended. */
export function putEpoch(store: LedgerStore, bridge: Bridge, epoch: EndedEpoch): void {
  const { start, blockHash, root, signatures, ...rest } = epoch
  const bytes = {
    blockHash: encodeBase64(blockHash),
    root: encodeBase64(root),
    signatures: signatures.map(encodeBase64),
  }
  store.put(joinKey(ended, bridge, countPart(start)), JSON.stringify({ ...rest, ...bytes }))
}

/** The members of an entry, its key apart; bytes in base64. */
interface StoredEpoch extends Record<'blockHash' | 'root', string> {
  readonly endHeight: number
  readonly signatures: readonly string[]
}

/** Finds an epoch that has ended. */
export function findEpoch(store: LedgerStore, bridge: Bridge, start: number): EndedEpoch | undefined {
  const epoch = readJson<StoredEpoch>(store, joinKey(ended, bridge, countPart(start)))
  if (epoch === undefined) return undefined
  return {
    start,
    endHeight: epoch.endHeight,
    blockHash: decodeBase64(epoch.blockHash),
    root: decodeBase64(epoch.root),
    signatures: epoch.signatures.map(decodeBase64),
  }
}

/** The epochs that a wallet may claim from or has claimed from, the newest first. */
export function listEndedEpochs(store: LedgerStore, bridge: Bridge, recipient: string): Generator<EndedEpoch> {
  const range = { ...keysUnder(byWallet, bridge, recipient), isReverse: true }
  return listIndexed(store, range, (start) => findEpoch(store, bridge, parseCountPart(start)))
}

/** An ended epoch that waits for the validators' votes, and whether a vote was lost. */
interface Unconfirmed extends Pick<EndedEpoch, 'start'> {
  readonly isLost: boolean
}

/** The ended epoch that waits for votes; at most one of a bridge. */
export function findUnconfirmed(store: LedgerStore, bridge: Bridge): Unconfirmed | undefined {
  const text = store.get(joinKey(unconfirmed, bridge))
  if (text === undefined) return undefined
  const [start, state] = text.split(' ')
  return { start: Number(start), isLost: state === 'lost' }
}

/** Notes that an epoch waits for votes. */
export function putUnconfirmed(store: LedgerStore, bridge: Bridge, { start, isLost }: Unconfirmed): void {
  store.put(joinKey(unconfirmed, bridge), isLost ? `${start} lost` : `${start}`)
}

/** Notes that no epoch waits for votes. */
export function removeUnconfirmed(store: LedgerStore, bridge: Bridge): void {
  store.delete(joinKey(unconfirmed, bridge))
}

function readClaim(recipient: string, text: string): Claim {
  const [amount = '0', txId, height] = text.split(' ')
  return { recipient, amount: BigInt(amount), claimed: txId === undefined ? null : { txId, height: Number(height) } }
}
