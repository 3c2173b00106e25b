/** The course of epochs with every block: one that has lasted long enough ends, one that has ended is signed. */

import { decodeHex } from '../../base/hex.ts'
import { digestEpoch, hashLeaf } from '../../streamnet/codec/merkle.ts'
import { parseAddress } from '../../streamnet/ids.ts'
import { bridgeSetups, emptyEpochFactor, epochSeconds } from '../bridges.ts'
import { signForContract } from '../contract-signature.ts'
import type { LedgerStore } from '../ports.ts'
import { type Bridge, bridges } from '../profiles.ts'
import type { NodeSettings } from '../settings.ts'
import type { Block } from '../state/chain.ts'
import { takeFault } from '../state/control.ts'
import {
  type Claim,
  findEpoch,
  findOpenEpoch,
  findUnconfirmed,
  listClaims,
  putEpoch,
  putOpenEpoch,
  putUnconfirmed,
  removeUnconfirmed,
} from '../state/epochs.ts'
import { buildTree, type MerkleTree, treeRoot } from './merkle-tree.ts'

/** Ends epochs: ten minutes with withdrawals, once the one before is confirmed, or thirty without; begins new ones. */
export function endEpochs(store: LedgerStore, block: Block): void {
  for (const bridge of bridges) endEpoch(store, bridge, block)
}

/** Signs the epochs that wait for it, at the start of a block. */
export function voteEpochs(store: LedgerStore, { nodeKey }: Pick<NodeSettings, 'nodeKey'>): void {
  for (const bridge of bridges) {
    const waiting = findUnconfirmed(store, bridge)
    if (waiting === undefined) continue
    const epoch = findEpoch(store, bridge, waiting.start)
    const isLost = takeFault(store, 'vote_epoch') !== undefined
    if (epoch === undefined || nodeKey === undefined || isLost) {
      if (!waiting.isLost) putUnconfirmed(store, bridge, { ...waiting, isLost: true })
      continue
    }
    const signature = signForContract(digestEpoch(epoch.root, epoch.blockHash), nodeKey)
    putEpoch(store, bridge, { ...epoch, signatures: [signature] })
    removeUnconfirmed(store, bridge)
  }
}

/** Tells whether an epoch has ended with the last block and waits for its first vote. */
export function awaitsVote(store: LedgerStore): boolean {
  return bridges.some((bridge) => findUnconfirmed(store, bridge)?.isLost === false)
}

/** The tree of an epoch's claims; undefined when there is none. */
export function epochTree(bridge: Bridge, claims: readonly Claim[], blockHash: Uint8Array): MerkleTree | undefined {
  if (claims.length === 0) return undefined
  return buildTree(claims.map((claim) => makeLeaf(bridge, claim, blockHash)))
}

/** The leaf of a claim in its epoch's tree. */
export function makeLeaf(bridge: Bridge, { recipient, amount }: Claim, blockHash: Uint8Array): Uint8Array {
  const contract = bridgeSetups[bridge].escrow
  return hashLeaf({ recipient: parseAddress(recipient), amount, contract, blockHash })
}

function endEpoch(store: LedgerStore, bridge: Bridge, block: Block): void {
  const now = { start: block.height, startTime: Math.floor(block.timeMs / 1000) }
  const current = findOpenEpoch(store, bridge)
  if (current === undefined) {
    putOpenEpoch(store, bridge, now)
    return
  }
  const age = now.startTime - current.startTime
  if (age < epochSeconds || findUnconfirmed(store, bridge) !== undefined) return
  const blockHash = decodeHex(block.hash)
  const tree = epochTree(bridge, [...listClaims(store, bridge, current.start)], blockHash)
  if (tree === undefined) {
    if (age >= epochSeconds * emptyEpochFactor) putOpenEpoch(store, bridge, now)
    return
  }
  const { start } = current
  putEpoch(store, bridge, { start, endHeight: block.height, blockHash, root: treeRoot(tree), signatures: [] })
  putUnconfirmed(store, bridge, { start, isLost: false })
  putOpenEpoch(store, bridge, now)
}
