/** What a node keeps of transactions, failed ones among them, and where it stops. */

import { describe, expect, test } from 'vitest'
import { joinKey, keysUnder } from '../../src/devnode/keys.ts'
import { maxTransactionBytes } from '../../src/devnode/settings.ts'
import { encodeActionExecution } from '../../src/streamnet/codec/payload.ts'
import { toTypedValue } from '../../src/streamnet/codec/value.ts'
import { transactionToJson } from '../../src/streamnet/rpc/transaction-json.ts'
import { keys, malleate, signTransaction, startTestNode, type TestNode } from '../support/devnode.ts'

/** A transaction of about so many bytes that fails in its block. */
function failing(nonce: number, bytes: number) {
  const args = [toTypedValue('x'.repeat(bytes))]
  const payload = encodeActionExecution({ namespace: '', action: 'no_such_action', calls: [args] })
  return signTransaction(keys.stranger, { chainId: 'test-chain', nonce, payload })
}

function send(node: TestNode, transaction: ReturnType<typeof failing>): string {
  const { tx_hash } = node.rpc('user.broadcast', { tx: transactionToJson(transaction) }) as {
    tx_hash: string
  }
  return tx_hash
}

const query = (node: TestNode, tx_hash: string) =>
  node.rpc('user.tx_query', { tx_hash }) as { tx: object | null; height: number; tx_result: { code: number } }

const bodyLength = (node: TestNode) =>
  [...node.store.list(keysUnder('tx-body'))].reduce((sum, [, part]) => sum + part.length, 0)

describe('bodies of transactions', () => {
  test('are kept up to a bound, the newest longest; results stay, and no nonce comes back', () => {
    const keptBodyBytes = 500_000
    const node = startTestNode({ keptBodyBytes })
    const sent = Array.from({ length: 12 }, (_, index) => failing(index + 1, 100_000))
    const hashes = sent.map((transaction) => send(node, transaction))
    expect(bodyLength(node)).toBeLessThanOrEqual(keptBodyBytes)
    expect(bodyLength(node)).toBe(Number(node.store.get('tx-body-length')))
    const found = hashes.map((hash) => query(node, hash))
    expect(found.map(({ tx }) => tx === null)).toEqual([...Array(9).fill(true), false, false, false])
    expect(found.every(({ height, tx_result }) => height > 0 && tx_result.code === 65_535)).toBe(true)
    const [first] = sent
    if (first === undefined) throw new Error('nothing was sent')
    expect(() => send(node, first)).toThrow('transaction already exists')
    expect(() => send(node, { ...first, signature: malleate(first.signature) })).toThrow('got 1, expected 13')
    // Blocks tell what they held, a body that is gone as null.
    expect(node.rpc('chain.block', { height: 2 })).toMatchObject({ block: { txns: [null] } })
  })

  test('of a ledger that has not counted them are counted when the first is added', () => {
    const node = startTestNode({ keptBodyBytes: 500_000 })
    for (const nonce of [1, 2]) send(node, failing(nonce, 200_000))
    node.store.delete('tx-body-length')
    send(node, failing(3, 100))
    expect(bodyLength(node)).toBeLessThanOrEqual(500_000)
    expect(Number(node.store.get('tx-body-length'))).toBe(bodyLength(node))
  })

  test('come back when a development node goes back to a snapshot', () => {
    const node = startTestNode({ keptBodyBytes: 300_000 })
    const hash = send(node, failing(1, 150_000))
    const { snapshot } = node.rpc('dev.snapshot') as { snapshot: number }
    send(node, failing(2, 150_000))
    expect(query(node, hash).tx).toBeNull()
    node.rpc('dev.revert', { snapshot })
    expect(query(node, hash).tx).not.toBeNull()
    expect(bodyLength(node)).toBe(Number(node.store.get('tx-body-length')))
  })
})

test('a transaction beyond a row of the platform is refused before anything of it is kept', () => {
  const node = startTestNode()
  const before = node.store.size()
  expect(() => send(node, failing(1, maxTransactionBytes))).toThrow(
    /transaction has \d+ bytes, expected at most 1900000/,
  )
  expect(node.store.size()).toBe(before)
  const large = failing(1, maxTransactionBytes - 1000)
  expect(query(node, send(node, large)).tx).toEqual(transactionToJson(large))
  for (const [key, value] of node.store.list({ start: '', end: '~' })) {
    expect([key, joinKey(key, value).length < 2_000_000]).toEqual([key, true])
  }
})

test('a node that keeps all it may takes no further transaction, and still answers', () => {
  const node = startTestNode({ maxStoreBytes: 500_000, keptBodyBytes: 10_000_000 })
  send(node, failing(1, 400_000))
  expect(() => send(node, failing(2, 10))).toThrow(
    /"code":11,.*mempool is full: the node keeps \d+ bytes already/,
  )
  expect(node.rpc('user.ping', {})).toEqual({ message: 'pong' })
})

test('a node has a thousand snapshots at most, and room for more once it went back to one of them', () => {
  const node = startTestNode()
  for (let at = 1; at <= 1_000; at++) node.rpc('dev.snapshot')
  expect(() => node.rpc('dev.snapshot')).toThrow(/there are 1000 snapshots, expected dev.revert/)
  node.rpc('dev.revert', { snapshot: 500 })
  expect(node.rpc('dev.snapshot')).toEqual({ snapshot: 1_001 })
})
