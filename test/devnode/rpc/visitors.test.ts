import { describe, expect, test } from 'vitest'
import { isFull } from '#devnode/rpc/visitors.ts'
import { publicMethodsFor } from '#devnode/rpc.ts'
import { generateStreamId } from '#streamnet/ids.ts'
import { transactionToJson } from '#streamnet/rpc/transaction-json.ts'
import { createSyncSigner, type SyncSigner } from '#streamnet/signing/sync-signer.ts'
import type { ActionArg } from '#streamnet/types.ts'
import {
  broadcast,
  executionPayload,
  failingTransaction,
  keys,
  signTransaction,
  startTestNode,
  testSettings,
} from '../../support/devnode.ts'

describe('assertVisitorRoom() and isFull()', () => {
  const visitor = (maxStoreBytes: number) => {
    const node = startTestNode({ maxStoreBytes })
    const methods = publicMethodsFor('visitor', testSettings)
    const broadcastAs = (signer: SyncSigner, action: string, ...args: ActionArg[]) => {
      const payload = executionPayload(action, ...args)
      const tx = transactionToJson(signTransaction(signer, { chainId: testSettings.chainId, nonce: 1, payload }))
      const request = { jsonrpc: '2.0', id: 1, method: 'user.broadcast', params: { tx } }
      return JSON.stringify(node.sendTo(methods, JSON.stringify(request)))
    }
    return { node, broadcastAs }
  }

  test('let throw-away keys whose transactions fail fill half of the ledger, and what succeeds goes on', () => {
    const { node, broadcastAs } = visitor(200_000)
    let answer = ''
    let taken = 0
    for (; taken < 1_000 && !answer.includes('full'); taken++)
      answer = broadcastAs(createSyncSigner((1_000 + taken).toString(16).padStart(64, '0')), 'no_such_action')
    expect(answer).toMatch(/"code":11,.*mempool is full for transactions that fail: the node keeps \d+ bytes/)
    expect(node.store.size()).toBeLessThan(103_000)
    expect(taken).toBeGreaterThan(20)
    expect(broadcastAs(keys.owner, 'create_stream', generateStreamId('a'), 'primitive')).toContain('tx_hash')
    // The gateway's own transactions may fail.
    expect(node.rpc('user.tx_query', broadcast(node, failingTransaction(1, 10)))).toMatchObject({
      tx_result: { code: 65_535 },
    })
  })

  test('leave a tenth of the ledger to the gateway, whose writes fail when that is full', () => {
    const { node, broadcastAs } = visitor(500_000)
    broadcast(node, failingTransaction(1, 345_000))
    expect(isFull({ store: node.store, settings: { ...testSettings, maxStoreBytes: 500_000 } })).toBe(false)
    const refused = /"code":11,.*mempool is full: the node keeps \d+ bytes already/
    expect(broadcastAs(keys.owner, 'create_stream', generateStreamId('a'), 'primitive')).toMatch(refused)
    node.must(keys.owner, 'create_stream', generateStreamId('a'), 'primitive')
    broadcast(node, failingTransaction(2, 40_000))
    expect(isFull({ store: node.store, settings: { ...testSettings, maxStoreBytes: 500_000 } })).toBe(true)
    expect(() => broadcast(node, failingTransaction(3, 10))).toThrow(refused)
  })
})
