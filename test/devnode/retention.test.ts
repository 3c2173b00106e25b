/** Transactions that a node keeps, failed ones among them, and their bound. */

import { describe, expect, test } from 'vitest'
import { joinKey, keysUnder } from '#devnode/keys.ts'
import { maxTransactionBytes } from '#devnode/settings.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { broadcast, failingTransaction, malleate, startTestNode, type TestNode } from '../support/devnode.ts'

const query = (node: TestNode, sent: ReturnType<typeof broadcast>) =>
  node.rpc('user.tx_query', sent) as { tx: object | null; height: number; tx_result: { code: number } }

const bodyLength = (node: TestNode) =>
  [...node.store.list(keysUnder('tx-body'))].reduce((sum, [, part]) => sum + part.length, 0)

describe('bodies of transactions', () => {
  test('are kept up to a bound, the newest longest; results stay, and no nonce is used again', () => {
    const keptBodyBytes = 500_000
    const node = startTestNode({ keptBodyBytes })
    const sent = Array.from({ length: 12 }, (_, index) => failingTransaction(index + 1, 100_000))
    const answers = sent.map((transaction) => broadcast(node, transaction))
    expect(bodyLength(node)).toBeLessThanOrEqual(keptBodyBytes)
    expect(bodyLength(node)).toBe(Number(node.store.get('tx-body-length')))
    const found = answers.map((answer) => query(node, answer))
    expect(found.map(({ tx }) => tx === null)).toEqual([...Array(9).fill(true), false, false, false])
    expect(found.every(({ height, tx_result }) => height > 0 && tx_result.code === 65_535)).toBe(true)
    const [first] = sent
    if (first === undefined) throw new Error('nothing was sent')
    expect(() => broadcast(node, first)).toThrow('transaction already exists')
    expect(() => broadcast(node, { ...first, signature: malleate(first.signature) })).toThrow('got 1, expected 13')
    // Blocks tell what they held, a body that is gone as null.
    expect(node.rpc('chain.block', { height: 2 })).toMatchObject({ block: { txns: [null] } })
  })

  test('come back when a development node goes back to a snapshot', () => {
    const node = startTestNode({ keptBodyBytes: 300_000 })
    const first = broadcast(node, failingTransaction(1, 150_000))
    const { snapshot } = node.rpc('dev.snapshot') as { snapshot: number }
    broadcast(node, failingTransaction(2, 150_000))
    expect(query(node, first).tx).toBeNull()
    node.rpc('dev.revert', { snapshot })
    expect(query(node, first).tx).not.toBeNull()
    expect(bodyLength(node)).toBe(Number(node.store.get('tx-body-length')))
  })
})

test('a transaction larger than a row of the platform is refused before any of it is stored', () => {
  const node = startTestNode()
  const before = node.store.size()
  expect(() => broadcast(node, failingTransaction(1, maxTransactionBytes))).toThrow(
    /transaction has \d+ bytes, expected at most 1900000/,
  )
  expect(node.store.size()).toBe(before)
  const large = failingTransaction(1, maxTransactionBytes - 1000)
  expect(query(node, broadcast(node, large)).tx).toEqual(transactionToJson(large))
  for (const [key, value] of node.store.list({ start: '', end: '~' })) {
    expect([key, joinKey(key, value).length < 2_000_000]).toEqual([key, true])
  }
})

test('a node that keeps all it may takes no further transaction, and still answers', () => {
  const node = startTestNode({ maxStoreBytes: 500_000, keptBodyBytes: 10_000_000 })
  broadcast(node, failingTransaction(1, 400_000))
  expect(() => broadcast(node, failingTransaction(2, 10))).toThrow(
    /"code":11,.*mempool is full: the node keeps \d+ bytes already/,
  )
  expect(node.rpc('user.ping', {})).toEqual({ message: 'pong' })
})
