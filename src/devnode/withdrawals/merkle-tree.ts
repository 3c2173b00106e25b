/** The standard Merkle tree of an epoch: every withdrawal has a proof that leads to the one root. */

import { equalBytes } from '../../base/bytes.ts'
import { hashPair, isBefore } from '../../streamnet/codec/merkle.ts'

/** A tree as an array: the root first, the children of node i at 2i + 1 and 2i + 2, smaller leaves last. */
export type MerkleTree = readonly Uint8Array[]

/** Builds the tree of at least one leaf, given by their hashes in any order. */
export function buildTree(leaves: readonly Uint8Array[]): MerkleTree {
  const sorted = leaves.toSorted((left, right) => (isBefore(left, right) ? 1 : -1))
  const inner = leaves.length - 1
  const tree: Uint8Array[] = [...Array.from({ length: inner }, () => new Uint8Array()), ...sorted]
  for (let at = inner - 1; at >= 0; at--) tree[at] = hashPair(nodeAt(tree, 2 * at + 1), nodeAt(tree, 2 * at + 2))
  return tree
}

/** The root of a tree. */
export function treeRoot(tree: MerkleTree): Uint8Array {
  return nodeAt(tree, 0)
}

/** The siblings on the way from a leaf to the root; none where the leaf is the root. */
export function makeProof(tree: MerkleTree, leaf: Uint8Array): readonly Uint8Array[] {
  const proof: Uint8Array[] = []
  let at = tree.findLastIndex((node) => equalBytes(node, leaf))
  while (at > 0) {
    proof.push(nodeAt(tree, at % 2 === 1 ? at + 1 : at - 1))
    at = (at - 1) >> 1
  }
  return proof
}

function nodeAt(tree: MerkleTree, at: number): Uint8Array {
  const node = tree[at]
  if (node === undefined) throw new RangeError(`Cannot read tree: no node ${at} of ${tree.length}`)
  return node
}
