import { describe, expect, test } from 'vitest'
import { decodeHex, encodeHex } from '#base/hex.ts'
import { encodeTransaction, hashTransaction } from '#streamnet/codec/transaction.ts'
import type { TransactionJson } from '#streamnet/rpc/methods.ts'
import { transactionFromJson, transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { digestPersonalMessage, recoverAddress } from '#streamnet/signing/digest.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { transactionMessageSync } from '#streamnet/signing/sync-signer.ts'
import type { SignedTransaction } from '#streamnet/types.ts'
import { vectorsOf } from '../../support/streams-vectors.ts'

interface TransactionInput {
  readonly private_key: string
  readonly description: string
  readonly type: string
  readonly payload_hex: string
  readonly fee: string
  readonly nonce: number
  readonly chain_id: string
}

interface TransactionExpected {
  readonly payload_digest_20: string
  readonly signed_text: string
  readonly personal_digest: string
  readonly tx_json_v01: TransactionJson
  readonly tx_json_v27: TransactionJson
  readonly tx_binary_v01: string
  readonly tx_hash_v01: string
  readonly tx_hash_v27: string
}

const signVector = async (input: TransactionInput): Promise<SignedTransaction> => {
  const signer = createSigner(input.private_key)
  const unsigned = {
    description: input.description,
    payload: decodeHex(input.payload_hex),
    payloadType: input.type,
    fee: BigInt(input.fee),
    nonce: input.nonce,
    chainId: input.chain_id,
    sender: signer.address,
  }
  return { ...unsigned, signature: await signer.signMessage(transactionMessageSync(unsigned)) }
}

const walletForm = (transaction: SignedTransaction): SignedTransaction => {
  const signature = transaction.signature.slice()
  signature[64] = (signature[64] ?? 0) + 27
  return { ...transaction, signature }
}

const vectors = vectorsOf<TransactionInput, TransactionExpected>('transaction')

for (const { id, input, expected } of vectors) {
  test(`text, digest, signature, JSON, binary form and hash follow vector ${id}`, async () => {
    const transaction = await signVector(input)
    expect(transactionMessageSync(transaction)).toBe(expected.signed_text)
    expect(encodeHex(digestPersonalMessage(expected.signed_text))).toBe(expected.personal_digest)
    expect(transactionToJson(transaction)).toEqual(expected.tx_json_v01)
    expect(transactionToJson(walletForm(transaction))).toEqual(expected.tx_json_v27)
    expect(encodeHex(encodeTransaction(transaction))).toBe(expected.tx_binary_v01)
    expect(await hashTransaction(transaction)).toBe(expected.tx_hash_v01)
    expect(await hashTransaction(walletForm(transaction))).toBe(expected.tx_hash_v27)
  })

  test(`decoding returns what vector ${id} was made of`, async () => {
    const transaction = await signVector(input)
    expect(transactionFromJson(expected.tx_json_v01)).toEqual(transaction)
    expect(transactionFromJson(expected.tx_json_v27)).toEqual(walletForm(transaction))
    const digest = decodeHex(expected.personal_digest)
    expect(recoverAddress(digest, transaction.signature)).toBe(transaction.sender)
    expect(recoverAddress(digest, walletForm(transaction).signature)).toBe(transaction.sender)
  })
}

describe('transactionFromJson()', () => {
  const [vector] = vectors
  const json = vector?.expected.tx_json_v01 as TransactionJson

  test.each<[string, unknown]>([
    ['nothing', null],
    ['text', 'tx'],
    ['an empty object', {}],
    ['a sender with 0x', { ...json, sender: `0x${json.sender}` }],
    ['a short sender', { ...json, sender: json.sender.slice(2) }],
    ['another signature type', { ...json, signature: { ...json.signature, type: 'ed25519' } }],
    ['another serialization', { ...json, serialization: 'json' }],
    ['a fee that is no number', { ...json, body: { ...json.body, fee: '1e3' } }],
    ['a nonce of null', { ...json, body: { ...json.body, nonce: null } }],
    ['a nonce with a fraction', { ...json, body: { ...json.body, nonce: 1.5 } }],
    ['a negative nonce', { ...json, body: { ...json.body, nonce: -1 } }],
    ['a payload that is not base64', { ...json, body: { ...json.body, payload: '#' } }],
    ['a description that is a number', { ...json, body: { ...json.body, desc: 1 } }],
  ])('refuses %s', (_, value) => {
    expect(() => transactionFromJson(value)).toThrow(expect.objectContaining({ code: 'malformed_bytes' }))
  })
})

test('transactionToJson() leaves signature, fee and nonce null where there are none', () => {
  const { expected } = vectors[0] ?? {}
  const { signature: _, fee: __, nonce: ___, ...estimate } = transactionFromJson(expected?.tx_json_v01)
  expect(transactionToJson(estimate)).toMatchObject({ signature: { sig: null }, body: { fee: null, nonce: null } })
})
