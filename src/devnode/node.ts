/** A node: a ledger with its settings, which takes transactions in and makes blocks of them. */

import { transactionToJson } from '../streamnet/rpc/transaction-json.ts'
import type { SignedTransaction } from '../streamnet/types.ts'
import { admit } from './admission.ts'
import { blockRows, createGenesis, type Mined, mineBlock } from './blocks.ts'
import type { BlockTransaction } from './ledger.ts'
import type { Overlay } from './overlay.ts'
import type { LedgerStore } from './ports.ts'
import type { NodeSettings } from './settings.ts'
import { awaitsSignature } from './state/attestations.ts'
import { type Block, headBlock, pruneTransactions, putTransaction } from './state/chain.ts'
import { putClock, readClock, readMining } from './state/control.ts'
import { addToPool, poolSize } from './state/pool.ts'
import { awaitsVote } from './withdrawals/epochs.ts'

/** A ledger to be read, with its settings and the world's clock. */
export interface ReadonlyNode {
  readonly store: LedgerStore
  readonly settings: NodeSettings
  /** Unix milliseconds, read by the user of the node. */
  readonly nowMs: number
}

/** A ledger to be changed: one request, or one alarm, writes to one overlay. */
export interface Node extends ReadonlyNode {
  readonly store: Overlay
}

/** The last block; makes the first one of an empty ledger. */
export function openNode(node: Node): Block {
  return headBlock(node.store) ?? createGenesis(node.store, node.settings, chainTime(node))
}

/** The time of the chain now, in UNIX milliseconds. */
export function chainTime({ store, nowMs }: ReadonlyNode): number {
  return nowMs + readClock(store).offsetMs
}

/** The time of the next block, in UNIX milliseconds: the one that a development method has set, or now. */
export function nextBlockTime(node: ReadonlyNode): number {
  return readClock(node.store).nextBlockMs ?? chainTime(node)
}

/** Takes a transaction in and gives its hash; it is mined at once when the node mines with every transaction. */
export function submit(node: Node, transaction: SignedTransaction): string {
  const { store, settings } = node
  const { hash, payload } = admit(store, settings, transaction)
  putTransaction(store, hash, transactionToJson(transaction))
  const isAutomatic = readMining(store).kind === 'auto'
  // A single transaction that is mined at once does not enter the pool.
  if (isAutomatic && poolSize(store) === 0) mine(node, { hash, transaction, payload })
  else addToPool(store, hash, transaction.sender.slice(2))
  if (isAutomatic) mineWaiting(node)
  return hash
}

/** Takes a transaction in and leaves it in the pool, also where the node mines with every transaction. */
export function enqueue({ store, settings }: Node, transaction: SignedTransaction): void {
  const { hash } = admit(store, settings, transaction)
  putTransaction(store, hash, transactionToJson(transaction))
  addToPool(store, hash, transaction.sender.slice(2))
}

/** Makes the next block of what waits, as far as it has room; with `fresh`, of that transaction. */
export function mine(node: Node, fresh?: BlockTransaction): Mined {
  const timeMs = nextBlockTime(node)
  const { nextBlockMs } = readClock(node.store)
  if (nextBlockMs !== undefined) putClock(node.store, { offsetMs: nextBlockMs - node.nowMs })
  const mined = mineBlock(node.store, node.settings, timeMs, fresh === undefined ? undefined : [fresh])
  pruneTransactions(node.store, node.settings.keptBodyBytes)
  return mined
}

/** Mines until neither a transaction nor a signature waits, or the work of a block is done: a duty makes the rest. */
export function mineWaiting(node: Node): void {
  for (let rows = 0; hasWaiting(node) && rows < blockRows(node.settings); ) rows += mine(node).rows
}

/** Tells whether a transaction, a signature or a vote waits for a block. */
export function hasWaiting({ store }: ReadonlyNode): boolean {
  return poolSize(store) > 0 || awaitsSignature(store) || awaitsVote(store)
}
