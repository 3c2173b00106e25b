import { describe, expect, test } from 'vitest'
import { isImpersonated } from '#devnode/admission.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { hashTransactionSync } from '#streamnet/signing/sync-signer.ts'
import type { SignedTransaction } from '#streamnet/types.ts'
import {
  broadcast,
  dumpState,
  executionPayload,
  keys,
  malleate,
  nextNonce,
  signTransaction,
  startTestNode,
  type TestNode,
  testSettings,
} from '../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`
const createPayload = executionPayload('create_stream', streamId, 'primitive')
const fields = { chainId: testSettings.chainId, nonce: 1, payload: createPayload }

describe('admit()', () => {
  const refused = (name: string, transaction: (node: TestNode) => SignedTransaction, expected: string) =>
    test(`refuses ${name}, and changes nothing`, () => {
      const node = startTestNode()
      const before = dumpState(node)
      expect(() => broadcast(node, transaction(node))).toThrow(expected)
      expect(dumpState(node)).toBe(before)
    })

  refused('another chain', () => signTransaction(keys.owner, { ...fields, chainId: 'x' }), '"code":5')
  refused('a gap in the nonces', () => signTransaction(keys.owner, { ...fields, nonce: 3 }), 'got 3, expected 1')
  refused('an unknown kind', () => signTransaction(keys.owner, { ...fields, payloadType: 'mint' }), '"code":2')
  refused(
    'a forged sender',
    () => ({ ...signTransaction(keys.stranger, fields), sender: keys.owner.address }),
    '"code":3,',
  )
  refused(
    'a changed payload',
    () => ({
      ...signTransaction(keys.owner, fields),
      payload: executionPayload('create_stream', streamId, 'composed'),
    }),
    'invalid signature',
  )
  refused(
    'a payload that lies about its lengths',
    () => signTransaction(keys.owner, { ...fields, payload: createPayload.map((byte, at) => (at === 2 ? 255 : byte)) }),
    '"code":1,',
  )
  refused(
    'a payload that is cut off',
    () => signTransaction(keys.owner, { ...fields, payload: createPayload.subarray(0, 20) }),
    '"code":1,',
  )
  refused(
    'too long a description',
    () => signTransaction(keys.owner, { ...fields, description: 'ü'.repeat(101) }),
    '"code":1,',
  )

  test('refuses a replay as a transaction that exists, and counts it once', () => {
    const node = startTestNode()
    const transaction = signTransaction(keys.owner, fields)
    broadcast(node, transaction)
    expect(() => broadcast(node, transaction)).toThrow('transaction already exists')
    expect(nextNonce(node, keys.owner)).toBe(2)
  })

  test('takes both forms of the recovery byte; each has its own hash', () => {
    const node = startTestNode()
    const first = signTransaction(keys.owner, fields)
    const wallet = signTransaction(keys.owner, { ...fields, nonce: 2, payload: executionPayload('whoami') })
    const shifted = { ...wallet, signature: wallet.signature.map((byte, at) => (at === 64 ? byte + 27 : byte)) }
    expect(broadcast(node, first)).toEqual({ tx_hash: hashTransactionSync(first) })
    expect(broadcast(node, shifted)).toEqual({ tx_hash: hashTransactionSync(shifted) })
    expect(hashTransactionSync(shifted)).not.toBe(hashTransactionSync(wallet))
  })

  test('a transaction with its signature in the other form takes no second effect: the nonce is used', () => {
    const node = startTestNode()
    const transaction = signTransaction(keys.owner, fields)
    const copy = { ...transaction, signature: malleate(transaction.signature) }
    broadcast(node, transaction)
    expect(() => broadcast(node, copy)).toThrow('got 1, expected 2')
  })

  test('asks a fee and a balance on a chain that charges them', () => {
    const node = startTestNode({ hasGas: true })
    expect(node.rpc('user.estimate_price', { tx: transactionToJson(signTransaction(keys.owner, fields)) })).toEqual({
      price: '2000000000000000',
    })
    expect(() => broadcast(node, signTransaction(keys.owner, fields))).toThrow('"code":7')
    expect(() => broadcast(node, signTransaction(keys.owner, { ...fields, fee: 2n * 10n ** 15n }))).toThrow('"code":6')
  })

  test('refuses what is beyond the pool', () => {
    const node = startTestNode()
    node.rpc('dev.setAutomine', { enabled: false })
    node.store.put('pool-next', '10000')
    expect(() => broadcast(node, signTransaction(keys.owner, fields))).toThrow('"code":11')
  })
})

test('isImpersonated() is false on a ledger that a node without development methods opens', () => {
  const node = startTestNode()
  node.rpc('dev.impersonate', { wallet: keys.stranger.address })
  const settings = { ...testSettings, isDevelopment: false }
  expect(isImpersonated(node.store, testSettings, keys.stranger.address)).toBe(true)
  expect(isImpersonated(node.store, settings, keys.stranger.address)).toBe(false)
})
