/** Admits a transaction to the pool by its form, chain, signature, nonce and fee. */

import { messageOf } from '../base/errors.ts'
import { encodeUtf8 } from '../base/utf8.ts'
import { agentPayloadType } from '../streamnet/codec/agent-payload.ts'
import { encodeTransaction } from '../streamnet/codec/transaction.ts'
import { txCodes } from '../streamnet/rpc/codes.ts'
import { digestPersonalMessage } from '../streamnet/signing/digest.ts'
import { hashTransactionSync, transactionMessageSync } from '../streamnet/signing/sync-signer.ts'
import type { Address, SignedTransaction } from '../streamnet/types.ts'
import { findInactivity } from './agents/authorize.ts'
import { DevnodeError } from './errors.ts'
import { createKnownSigners } from './known-signers.ts'
import { decodePayload, type Payload } from './payload.ts'
import type { LedgerStore } from './ports.ts'
import { findSigner } from './recovery.ts'
import { maxPooled, maxTransactionBytes, type NodeSettings } from './settings.ts'
import { findAccount } from './state/accounts.ts'
import { headBlock, isKnownTransaction } from './state/chain.ts'
import { readImpersonated } from './state/control.ts'
import { countPooled, poolSize } from './state/pool.ts'

/** The price of each kind of transaction on a chain with fees, in the smallest unit of the chain's token. */
const prices: Readonly<Record<string, bigint>> = {
  execute: 2_000_000_000_000_000n,
  maa_exec: 2_000_000_000_000_000n,
  raw_statement: 10_000_000_000_000n,
  transfer: 210_000n,
}

/** Shared by the nodes of an isolate: a signature is the same for each of them. */
const signers = createKnownSigners()

/** The most bytes of text a transaction may carry for people. */
const maxDescriptionBytes = 200

/** Finds the price of a kind of transaction; undefined when there is no such kind. */
export function findPrice(settings: NodeSettings, payloadType: string): bigint | undefined {
  const price = Object.hasOwn(prices, payloadType) ? prices[payloadType] : undefined
  return price === undefined || settings.hasGas ? price : 0n
}

interface Admitted {
  readonly hash: string
  readonly payload: Payload
}

/** Checks a transaction and gives its hash and payload; broadcast_refused has code, hash and text in `data`. */
export function admit(store: LedgerStore, settings: NodeSettings, transaction: SignedTransaction): Admitted {
  const bytes = encodeTransaction(transaction)
  const hash = hashTransactionSync(transaction, bytes)
  const refuse = (code: number, message: string) => refusal(code, hash, message)
  if (bytes.length > maxTransactionBytes) {
    throw refuse(txCodes.unknown, `transaction has ${bytes.length} bytes, expected at most ${maxTransactionBytes}`)
  }
  const candidate = { store, settings, transaction, hash, refuse }
  const price = requirePrice(candidate)
  assertSigned(candidate)
  const expected = expectedNonce(store, transaction.sender)
  // The nonce is part of the hash, so a transaction with the next one is new, and the search for it is spared.
  if (transaction.nonce !== expected && isKnownTransaction(store, hash)) {
    throw refuse(txCodes.unknown, 'transaction already exists')
  }
  const payload = readPayload(candidate)
  assertNonce(candidate, expected)
  assertPayable(candidate, price)
  assertRoom(candidate)
  return { hash, payload }
}

interface Candidate {
  readonly store: LedgerStore
  readonly settings: NodeSettings
  readonly transaction: SignedTransaction
  readonly hash: string
  readonly refuse: (code: number, message: string) => DevnodeError
}

/** Checks the chain and the kind of a transaction, and gives the price of that kind. */
function requirePrice({ store, settings, transaction: { chainId, payloadType }, refuse }: Candidate): bigint {
  if (chainId !== settings.chainId) throw refuse(txCodes.wrongChain, `wrong chain ID: ${chainId}`)
  const price = findPrice(settings, payloadType)
  if (price === undefined) {
    const state = settings.profile.answers === 'current' ? 'unknown payload type' : 'invalid transaction type'
    throw refuse(txCodes.invalidType, `${state}: ${payloadType.slice(0, 64)}`)
  }
  if (payloadType !== agentPayloadType) return price
  const inactivity = findInactivity(settings.agentActivationHeight, (headBlock(store)?.height ?? 0) + 1)
  if (inactivity !== undefined) throw refuse(txCodes.invalidType, inactivity)
  return price
}

/** Checks the description, which is signed too, and the signature. */
function assertSigned({ store, settings, transaction, hash }: Candidate): void {
  if (encodeUtf8(transaction.description).length > maxDescriptionBytes) {
    const text = `description is too long, expected at most ${maxDescriptionBytes} bytes`
    throw unverified(settings, txCodes.encoding, hash, text)
  }
  const { sender, signature } = transaction
  const digest = digestPersonalMessage(transactionMessageSync(transaction))
  if (isImpersonated(store, settings, sender) || signers.isSignedBy(sender, digest, signature)) return
  throw unverified(settings, txCodes.invalidSignature, hash, describeSignature(settings, digest, transaction))
}

/** The text for a wrong signature; today's network names both addresses, without `0x`. */
function describeSignature(
  { profile }: NodeSettings,
  digest: Uint8Array,
  { sender, signature }: SignedTransaction,
): string {
  const signer = profile.answers === 'current' ? findSigner(digest, signature) : undefined
  const state = 'invalid signature'
  return signer === undefined ? state : `${state}: expected address ${sender.slice(2)}, received ${signer.slice(2)}`
}

/** The nonce of a sender's next transaction: those that wait are counted. */
export function expectedNonce(store: LedgerStore, sender: Address): number {
  return findAccount(store, sender).nonce + countPooled(store, sender.slice(2)) + 1
}

function assertNonce({ transaction: { sender, nonce }, refuse }: Candidate, expected: number): void {
  if (nonce === expected) return
  const text = `invalid nonce for account ${sender.slice(2)}: got ${nonce}, expected ${expected}`
  throw refuse(txCodes.invalidNonce, text)
}

/** Checks the account in the network's order, after its nonce: the fee, then its balance. */
function assertPayable({ store, settings, transaction, refuse }: Candidate, price: bigint): void {
  if (!settings.hasGas) return
  if (transaction.fee < price) {
    throw refuse(txCodes.insufficientFee, `insufficient fee: got ${transaction.fee}, expected ${price}`)
  }
  if (findAccount(store, transaction.sender).balance < transaction.fee) {
    throw refuse(txCodes.insufficientBalance, 'insufficient balance')
  }
}

function assertRoom({ store, settings, refuse }: Candidate): void {
  if (store.size() >= settings.maxStoreBytes) {
    throw refuse(txCodes.mempoolFull, `mempool is full: the node keeps ${store.size()} bytes already`)
  }
  if (poolSize(store) >= maxPooled) throw refuse(txCodes.mempoolFull, 'mempool is full')
}

/** Tells whether any key may sign for a wallet: only on a development node, though a ledger may name such wallets. */
export function isImpersonated(store: LedgerStore, settings: NodeSettings, wallet: string): boolean {
  return settings.isDevelopment && readImpersonated(store).includes(wallet)
}

/** A refusal by a check that needs no ledger; today's network has one code for all such checks. */
export function unverified(settings: NodeSettings, code: number, hash: string, message: string): DevnodeError {
  if (settings.profile.answers === 'described') return refusal(code, hash, message)
  return refusal(txCodes.unknown, hash, `failed to verify the transaction: ${message}`)
}

/** A refusal of a transaction, in the network's shape. */
export function refusal(code: number, hash: string, message: string): DevnodeError {
  return new DevnodeError('broadcast_refused', 'broadcast error', { data: { code, hash, message } })
}

function readPayload({ transaction, refuse }: Candidate): Payload {
  try {
    return decodePayload(transaction)
  } catch (cause) {
    throw refuse(txCodes.encoding, messageOf(cause))
  }
}
