/** Transactions that a node keeps, failed ones among them, and their bound. */

import { describe, expect, test } from 'vitest'
import { joinKey, keysUnder } from '#devnode/keys.ts'
import { isFull } from '#devnode/rpc/visitors.ts'
import { publicMethodsFor } from '#devnode/rpc.ts'
import { maxTransactionBytes } from '#devnode/settings.ts'
import { encodeActionExecution } from '#streamnet/codec/payload.ts'
import { toTypedValue } from '#streamnet/codec/value.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { createSyncSigner, type SyncSigner } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { keys, malleate, signTransaction, startTestNode, type TestNode, testSettings } from '../support/devnode.ts'

/** A transaction of about so many bytes that fails in its block. */
function failing(nonce: number, bytes: number) {
  const args = [toTypedValue('x'.repeat(bytes))]
  const payload = encodeActionExecution({ namespace: '', action: 'no_such_action', calls: [args] })
  return signTransaction(keys.stranger, { chainId: 'test-chain', nonce, payload })
}

function send(node: TestNode, transaction: ReturnType<typeof failing>): string {
  const { tx_hash } = node.rpc('user.broadcast', { tx: transactionToJson(transaction) }) as { tx_hash: string }
  return tx_hash
}

const query = (node: TestNode, tx_hash: string) =>
  node.rpc('user.tx_query', { tx_hash }) as { tx: object | null; height: number; tx_result: { code: number } }

const bodyLength = (node: TestNode) =>
  [...node.store.list(keysUnder('tx-body'))].reduce((sum, [, part]) => sum + part.length, 0)

describe('bodies of transactions', () => {
  test('are kept up to a bound, the newest longest; results stay, and no nonce is used again', () => {
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

test('a transaction larger than a row of the platform is refused before any of it is stored', () => {
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
  expect(() => send(node, failing(2, 10))).toThrow(/"code":11,.*mempool is full: the node keeps \d+ bytes already/)
  expect(node.rpc('user.ping', {})).toEqual({ message: 'pong' })
})

describe('the room of visitors', () => {
  const visitor = (maxStoreBytes: number) => {
    const node = startTestNode({ maxStoreBytes })
    const methods = publicMethodsFor('visitor', testSettings)
    const broadcast = (signer: SyncSigner, nonce: number, action: string, ...args: ActionArg[]) => {
      const calls = [args.map(toTypedValue)]
      const payload = encodeActionExecution({ namespace: '', action, calls })
      const tx = transactionToJson(signTransaction(signer, { chainId: 'test-chain', nonce, payload }))
      const request = { jsonrpc: '2.0', id: 1, method: 'user.broadcast', params: { tx } }
      return JSON.stringify(node.sendTo(methods, JSON.stringify(request)))
    }
    return { node, broadcast }
  }

  test('throw-away keys whose transactions fail fill half of it, and what succeeds goes on', () => {
    const { node, broadcast } = visitor(200_000)
    let answer = ''
    let taken = 0
    for (; taken < 1_000 && !answer.includes('full'); taken++)
      answer = broadcast(createSyncSigner((1_000 + taken).toString(16).padStart(64, '0')), 1, 'no_such_action')
    expect(answer).toMatch(/"code":11,.*mempool is full for transactions that fail: the node keeps \d+ bytes/)
    expect(node.store.size()).toBeLessThan(103_000)
    expect(taken).toBeGreaterThan(20)
    expect(broadcast(keys.owner, 1, 'create_stream', generateStreamId('a'), 'primitive')).toContain('tx_hash')
    // The gateway's own transactions may fail.
    expect(query(node, send(node, failing(1, 10))).tx_result.code).toBe(65_535)
  })

  test('all of them leave a tenth to the gateway, whose writes fail when that is full', () => {
    const { node, broadcast } = visitor(500_000)
    send(node, failing(1, 345_000))
    expect(isFull({ store: node.store, settings: { ...testSettings, maxStoreBytes: 500_000 } })).toBe(false)
    const refused = /"code":11,.*mempool is full: the node keeps \d+ bytes already/
    expect(broadcast(keys.owner, 1, 'create_stream', generateStreamId('a'), 'primitive')).toMatch(refused)
    node.must(keys.owner, 'create_stream', generateStreamId('a'), 'primitive')
    send(node, failing(2, 40_000))
    expect(isFull({ store: node.store, settings: { ...testSettings, maxStoreBytes: 500_000 } })).toBe(true)
    expect(() => send(node, failing(3, 10))).toThrow(refused)
  })
})

test('a node has a thousand snapshots at most, and room for more once it went back to one of them', () => {
  const node = startTestNode()
  for (let at = 1; at <= 1_000; at++) node.rpc('dev.snapshot')
  expect(() => node.rpc('dev.snapshot')).toThrow(/there are 1000 snapshots, expected dev.revert/)
  node.rpc('dev.revert', { snapshot: 500 })
  expect(node.rpc('dev.snapshot')).toEqual({ snapshot: 1_001 })
})
