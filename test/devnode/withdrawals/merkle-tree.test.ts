import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { buildTree, makeProof, treeRoot } from '#devnode/withdrawals/merkle-tree.ts'
import { computeRoot } from '#streamnet/codec/merkle.ts'

describe('buildTree()', () => {
  test('has a proof of every leaf for every number of leaves up to 33', () => {
    for (let count = 1; count <= 33; count++) {
      const leaves = Array.from({ length: count }, (_, index) => new Uint8Array(32).fill(index * 7 + 1))
      const tree = buildTree(leaves)
      expect(tree).toHaveLength(2 * count - 1)
      for (const leaf of leaves) expect(computeRoot(leaf, makeProof(tree, leaf))).toEqual(treeRoot(tree))
    }
  })

  test("has the root of OpenZeppelin's own example", () => {
    // The tree in the readme of @openzeppelin/merkle-tree: two leaves of (address, uint256).
    const leaves = [
      'eb02c421cfa48976e66dfb29120745909ea3a0f843456c263cf8f1253483e283',
      'b92c48e9d7abe27fd8dfd6b5dfdbfb1c9a463f80c712b66f3a5180a090cccafc',
    ].map(decodeHex)
    expect(encodeHex(treeRoot(buildTree(leaves)))).toBe(
      'd4dee0beab2d53f2cc83e567171bd2820e49898130a22622b10ead383e90bd77',
    )
  })
})
