/** The chain itself: blocks, and the bodies and the results of transactions. */

import type { TransactionJson } from '../../streamnet/rpc/methods.ts'
import { countPart, joinKey, keysUnder, readCounter, readJson, removeUnder } from '../keys.ts'
import type { LedgerStore } from '../ports.ts'
import { poolSize } from './pool.ts'

/** A block. */
export interface Block {
  readonly height: number
  /** 64 lower-case hex digits, as all hashes here. */
  readonly hash: string
  readonly previousHash: string
  /** A hash of the block before and of the results in this one; there is no other fingerprint of the state. */
  readonly appHash: string
  readonly timeMs: number
  /** Address of who made it. */
  readonly leader: string
  /** Hashes of its transactions in order. */
  readonly transactions: readonly string[]
}

/** The outcome of a transaction. */
export interface TxOutcome {
  readonly code: number
  readonly log: string
  /** Gas spent; 0 unless the chain charges fees. */
  readonly gas: number
}

/** The hash before the first block, and of what a development node does not have. */
export const zeroHash = '0'.repeat(64)

const blocks = 'block'
const blockHashes = 'block-hash'
const results = 'tx-result'
const bodies = 'tx-body'
const bodyLength = 'tx-body-length'
const bodiesPruned = 'tx-bodies-pruned'
const headKey = 'head'

// One entry of the store stays below the two megabytes that SQLite's host allows a row.
const partLength = 500_000

/** The last block; undefined before the first. */
export function headBlock(store: LedgerStore): Block | undefined {
  const height = store.get(headKey)
  return height === undefined ? undefined : findBlock(store, Number(height))
}

/** Finds a block by its height. */
export function findBlock(store: LedgerStore, height: number): Block | undefined {
  return readJson<Block>(store, joinKey(blocks, countPart(height)))
}

/** Finds a block by its hash. */
export function findBlockByHash(store: LedgerStore, hash: string): Block | undefined {
  const height = store.get(joinKey(blockHashes, hash))
  return height === undefined ? undefined : findBlock(store, Number(height))
}

/** Adds a block and makes it the last. */
export function putBlock(store: LedgerStore, block: Block): void {
  store.put(joinKey(blocks, countPart(block.height)), JSON.stringify(block))
  store.put(joinKey(blockHashes, block.hash), String(block.height))
  store.put(headKey, String(block.height))
}

/** Writes what became of a transaction, and in which block. */
export function putOutcome(store: LedgerStore, hash: string, height: number, outcome: TxOutcome): void {
  store.put(joinKey(results, hash), JSON.stringify({ height, ...outcome }))
}

/** Finds what became of a transaction. */
export function findOutcome(store: LedgerStore, hash: string): (TxOutcome & { readonly height: number }) | undefined {
  return readJson(store, joinKey(results, hash))
}

/** Tells whether a transaction is known: in a block, where it has a result, or waiting, where it has a body. */
export function isKnownTransaction(store: LedgerStore, hash: string): boolean {
  if (store.get(joinKey(results, hash)) !== undefined) return true
  return poolSize(store) > 0 && store.get(joinKey(bodies, hash, countPart(0))) !== undefined
}

/** Reads a transaction; undefined when it is not known, or its body has been pruned. */
export function findTransaction(store: LedgerStore, hash: string): TransactionJson | undefined {
  const parts = [...store.list(keysUnder(bodies, hash))].map(([, part]) => part)
  // Only putTransaction writes under these keys.
  return parts.length === 0 ? undefined : (JSON.parse(parts.join('')) as TransactionJson)
}

/** Writes a transaction, which makes it known. */
export function putTransaction(store: LedgerStore, hash: string, transaction: TransactionJson): void {
  const text = JSON.stringify(transaction)
  store.put(bodyLength, String(readCounter(store, bodyLength) + text.length))
  for (let part = 0; part * partLength < text.length; part++) {
    store.put(joinKey(bodies, hash, countPart(part)), text.slice(part * partLength, (part + 1) * partLength))
  }
}

/**
 * Removes the bodies of the oldest transactions until those that are left take no more than this, in characters of
 * JSON. Blocks and results stay: a transaction can be asked for, and its nonce is used.
 */
export function pruneTransactions(store: LedgerStore, maxLength: number): void {
  let length = readCounter(store, bodyLength)
  if (length <= maxLength) return
  const head = headBlock(store)?.height ?? 0
  let height = readCounter(store, bodiesPruned)
  while (length > maxLength && height < head) {
    height += 1
    for (const hash of findBlock(store, height)?.transactions ?? []) length -= removeBody(store, hash)
  }
  store.put(bodyLength, String(Math.max(0, length)))
  store.put(bodiesPruned, String(height))
}

function removeBody(store: LedgerStore, hash: string): number {
  return removeUnder(store, bodies, hash).reduce((sum, [, part]) => sum + part.length, 0)
}
