/**
 * The room that callers from outside have in the ledger. A transaction that fails costs its sender nothing and is kept
 * all the same, so those of strangers may fill half of it, and all that strangers send nine tenths. The rest is for the
 * deployment's own gateway and the operator.
 */

import { txCodes } from '../../streamnet/rpc/codes.ts'
import type { SignedTransaction } from '../../streamnet/types.ts'
import { admit, refusal } from '../admission.ts'
import { nextBlockContext } from '../blocks.ts'
import { applyTransaction } from '../ledger.ts'
import { type Node, nextBlockTime, type ReadonlyNode } from '../node.ts'
import { createOverlay } from '../overlay.ts'
import { headBlock } from '../state/chain.ts'

/** The sender of a request: the deployment's own gateway, or another caller. */
export type Caller = 'gateway' | 'visitor'

const shareOfFailing = 0.5
const shareOfVisitors = 0.9

/**
 * Refuses a transaction of a stranger for which there is no room, with the code of a full pool, and what `admit`
 * refuses. Beyond half of the ledger's bound it is tried first, on the state after the last block; one that needs a
 * transaction that still waits is refused then too.
 */
export function assertVisitorRoom(node: Node, transaction: SignedTransaction): void {
  const { store, settings } = node
  const share = store.size() / settings.maxStoreBytes
  if (share < shareOfFailing) return
  const { hash, payload } = admit(store, settings, transaction)
  const refuse = (what: string) => {
    const text = `mempool is full${what}: the node keeps ${store.size()} bytes already`
    return refusal(txCodes.mempoolFull, hash, text)
  }
  if (share >= shareOfVisitors) throw refuse('')
  const block = nextBlockContext(settings, headBlock(store), nextBlockTime(node))
  const { outcome } = applyTransaction(createOverlay(store), settings, block, { hash, transaction, payload })
  if (outcome.code !== txCodes.ok) throw refuse(' for transactions that fail')
}

/** Tells whether the ledger takes no further transaction from any caller. */
export function isFull({ store, settings }: Pick<ReadonlyNode, 'store' | 'settings'>): boolean {
  return store.size() >= settings.maxStoreBytes
}
