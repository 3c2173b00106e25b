/** Transactions as methods take them in, and as they tell what became of them. */

import { isRecord } from '../../base/json.ts'
import { serializationType, signatureType } from '../../streamnet/codec/transaction.ts'
import { txCodes } from '../../streamnet/rpc/codes.ts'
import { transactionFromJson } from '../../streamnet/rpc/transaction-json.ts'
import type { SignedTransaction } from '../../streamnet/types.ts'
import { unverified } from '../admission.ts'
import { DevnodeError } from '../errors.ts'
import { type Node, type ReadonlyNode, submit } from '../node.ts'
import { findOutcome, findTransaction, type TxOutcome } from '../state/chain.ts'
import { intParam, invalidParams, isCurrent, type MethodOutcome, type Params, type RpcHost, show } from './method.ts'
import { assertVisitorRoom, type Caller } from './visitors.ts'

/**
 * The method `user.broadcast` for a caller: invalid_params for a malformed transaction, broadcast_refused for one that
 * the pool does not take.
 */
export function broadcast({ node }: RpcHost, params: Params, caller: Caller): MethodOutcome {
  const sync = intParam(params, 'sync', { least: 0, most: 1, otherwise: 0 })
  assertKnownForms(node, params.tx)
  const transaction = readTransaction(params.tx)
  if (caller === 'visitor') assertVisitorRoom(node, transaction)
  const hash = submit(node, transaction)
  if (sync === 0) return { result: { tx_hash: hash } }
  const result = commitResult(node, hash)
  return result === undefined ? { waitFor: hash } : { result }
}

/** Today's network reads a transaction of any signature type and serialization, and refuses it when it verifies it. */
function assertKnownForms({ settings }: Node, tx: unknown): void {
  if (settings.profile.answers === 'described' || !isRecord(tx) || !isRecord(tx.signature)) return
  const state = (text: string) => unverified(settings, txCodes.unknown, '', text)
  if (tx.signature.type !== signatureType) throw state(`unknown signature type ${show(tx.signature.type)}`)
  if (tx.serialization !== serializationType) throw state(`unknown serialization ${show(tx.serialization)}`)
}

/** Reads a transaction; invalid_params when a member is missing or malformed. */
export function readTransaction(json: unknown): SignedTransaction {
  for (const name of ['body', 'signature']) {
    if (!isRecord(json) || !isRecord(json[name])) throw invalidParams(`tx is missing its ${name}`)
  }
  try {
    return transactionFromJson(json)
  } catch (cause) {
    throw invalidParams(cause instanceof Error ? cause.message : 'Cannot read transaction')
  }
}

/** A transaction and its result, as `user.tx_query` tells them; height -1 while it waits. */
export function transactionStatus(node: ReadonlyNode, hash: string): object {
  const tx = findTransaction(node.store, hash)
  const outcome = findOutcome(node.store, hash)
  if (tx === undefined && outcome === undefined) {
    throw new DevnodeError('transaction_not_found', 'transaction not found')
  }
  const result = outcome ?? { height: -1, code: 0, gas: 0, log: '' }
  // A body that was pruned is null; who waits for a transaction reads its result.
  return { tx_hash: hash, height: result.height, tx: tx ?? null, tx_result: describeOutcome(node, result) }
}

/** The answer to a broadcast whose transaction is in a block now. */
export function commitResult(node: ReadonlyNode, hash: string): object | undefined {
  const outcome = findOutcome(node.store, hash)
  return outcome === undefined ? undefined : { tx_hash: hash, result: describeOutcome(node, outcome) }
}

/** The result of a transaction in a block: today's network leaves an empty log out. */
export function describeOutcome(node: ReadonlyNode, { code, gas, log }: TxOutcome): object {
  return isCurrent(node) ? { code, gas, ...(log !== '' && { log }) } : { code, gas, log, events: [] }
}
