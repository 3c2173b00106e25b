import { describe, expect, test } from 'vitest'
import { parseAddress, toChecksumAddress } from '#streamnet/ids.ts'
import { verifyProof, type WithdrawalProof } from '#streamnet/withdrawal-proof.ts'
import { contractSigners } from '../support/withdrawal-verifier.ts'
import document from '../vectors/network-proofs.json' with { type: 'json' }

const recorded = document.rows.map(
  ({ chain_id: chainId, created_at: createdAt, block_hash: blockHash, ...rest }): WithdrawalProof => ({
    ...rest,
    chainId,
    blockHeight: Number(createdAt),
    blockHash,
  }),
)
const [proof] = recorded

describe('verifyProof()', () => {
  test('takes what a real node of the network gave, and finds its validator', () => {
    expect(recorded).toHaveLength(1)
    for (const one of recorded) {
      expect(verifyProof(one).validators).toEqual([toChecksumAddress(parseAddress(document.validator))])
      expect(contractSigners(one)).toEqual([document.validator])
    }
  })

  if (proof === undefined) throw new Error('no recorded proof')
  const forged: readonly (readonly [string, Partial<WithdrawalProof>])[] = [
    ['another amount', { amount: '2000000000000000001' }],
    ['another recipient', { recipient: `0x${'11'.repeat(20)}` }],
    ['another contract', { contract: `0x${'11'.repeat(20)}` }],
    ['another block', { blockHash: btoa('\x01'.repeat(32)) }],
    ['a sibling more', { proofs: [btoa('\x01'.repeat(32))] }],
  ]
  for (const [what, change] of forged) {
    test(`refuses ${what}`, () => {
      expect(() => verifyProof({ ...proof, ...change })).toThrow('do not lead to the root')
    })
  }

  test('refuses what is not a number, a hash or a signature with a StreamNetError', () => {
    for (const change of [
      { amount: '-1' },
      { amount: 'ten' },
      { amount: `${2n ** 256n}` },
      { blockHash: 'AA==' },
      { blockHash: '%' },
      { signatures: ['AA=='] },
      { recipient: '0x12' },
    ]) {
      expect(() => verifyProof({ ...proof, ...change })).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/malformed_bytes|invalid_argument/) }),
      )
    }
  })

  test('names each signer once', () => {
    const [signature = ''] = proof.signatures
    expect(verifyProof({ ...proof, signatures: [signature, signature] }).validators).toHaveLength(1)
    expect(verifyProof({ ...proof, signatures: [] }).validators).toEqual([])
  })
})
