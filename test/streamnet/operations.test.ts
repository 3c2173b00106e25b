import { describe, expect, test } from 'vitest'
import type { OperationName } from '#streamnet/catalogue/entry.ts'
import { catalogue } from '#streamnet/catalogue.ts'
import { NetClient } from '#streamnet/net-client.ts'
import { bytes, createLoopbackNode } from '../support/loopback-node.ts'
import { agentExamples } from '../support/operation-examples/agents.ts'
import { attestationExamples } from '../support/operation-examples/attestations.ts'
import { bridgeExamples } from '../support/operation-examples/bridges.ts'
import { ledgerExamples } from '../support/operation-examples/ledger.ts'
import { marketExamples } from '../support/operation-examples/markets.ts'
import { orderExamples } from '../support/operation-examples/orders.ts'
import { permissionExamples } from '../support/operation-examples/permissions.ts'
import { recordExamples } from '../support/operation-examples/records.ts'
import { streamExamples } from '../support/operation-examples/streams.ts'
import {
  components,
  type Examples,
  hash,
  id,
  key,
  own,
  question,
  termArgs,
} from '../support/operation-examples/values.ts'

const parts: readonly Examples[] = [
  streamExamples,
  recordExamples,
  permissionExamples,
  ledgerExamples,
  marketExamples,
  orderExamples,
  attestationExamples,
  bridgeExamples,
  agentExamples,
]
const examples: Examples = Object.assign({}, ...parts)

/** Calls an operation whose parameters the table above holds untyped. */
const perform = (client: NetClient, operation: OperationName, params?: object): unknown =>
  (client[operation] as (given?: object) => unknown)(params)

test('there is one example of every operation', () => {
  expect(parts.flatMap((part) => Object.keys(part)).sort()).toEqual(catalogue.map(({ name }) => name).sort())
})

/** These ask for a transaction, or for the answers of several actions; they have other tests. */
const tested = new Set(['wait_for_tx', 'get_transaction_input', 'get_transaction_market', 'get_market_forecast'])

describe.each(catalogue.filter(({ name }) => !tested.has(name)))('$name', ({ name, operation, kind }) => {
  const { params, action = '', args, answer, result } = examples[name] ?? {}

  test('sends its arguments and reads its answer', async () => {
    const node = createLoopbackNode()
    if (answer) node.answers.set(kind === 'view' ? action : 'get_metadata', answer)
    const client = new NetClient(node.endpoint, key, { platform: node.platform })
    const received = await perform(client, operation, params)
    if (kind === 'execute') {
      const [sent] = node.executed
      expect(node.executed).toHaveLength(1)
      expect(sent?.action).toBe(action)
      expect(sent?.calls).toHaveLength(1)
      if (args) expect(sent?.calls[0]?.map(({ value }) => value)).toEqual(args)
      expect(received).toBe([...node.included.keys()][0])
    } else {
      expect(received).toEqual(result)
    }
    if (kind === 'view') {
      expect(node.called[0]?.action).toBe(action)
      expect(node.called[0]?.args.map(({ value }) => value)).toEqual(args)
      expect(node.called[0]?.sender).toBe(own.slice(2))
    }
    if (kind === 'local') expect(node.requests).toEqual([])
  })

  if (kind === 'view') {
    test('turns the text of an error into an error, not into an empty success', async () => {
      const node = createLoopbackNode()
      node.answers.set(action, { error: 'something broke' })
      const client = new NetClient(node.endpoint, key, { platform: node.platform })
      await expect(perform(client, operation, params)).rejects.toMatchObject({
        code: 'action_failed',
        data: { action, reason: 'something broke' },
      })
    })

    if (answer) {
      test('refuses an answer without its columns', async () => {
        const node = createLoopbackNode()
        node.answers.set(action, { columns: { unknown: 'bool' }, rows: [[true]] })
        const client = new NetClient(node.endpoint, key, { platform: node.platform })
        const received = perform(client, operation, params)
        if (name === 'call_procedure') await expect(received).resolves.toMatchObject({ values: [[true]] })
        else await expect(received).rejects.toMatchObject({ code: 'malformed_response' })
      })
    }
  }
})

test('wait_for_tx returns the receipt', async () => {
  const node = createLoopbackNode()
  const client = new NetClient(node.endpoint, key, { platform: node.platform })
  const txHash = await client.deployStream({ streamId: id, wait: false })
  expect(await client.waitForTx({ txHash: `0x${txHash}` })).toEqual({ hash: txHash, height: 101, code: 0, log: '' })
  await expect(client.waitForTx({ txHash: 'ab' })).rejects.toMatchObject({ code: 'invalid_argument' })
  await expect(client.waitForTx({ txHash: hash, timeoutMs: 2000 })).rejects.toMatchObject({ code: 'timeout' })
})

test('get_transaction_input gives the call and its exact arguments, get_transaction_market the market', async () => {
  const node = createLoopbackNode()
  const client = new NetClient(node.endpoint, key, { platform: node.platform })
  const market = { ...question, threshold: '2' }
  const txId = await client.createPriceAboveThresholdMarket(market)
  expect(await client.getTransactionInput({ txId: `0x${txId}` })).toEqual({
    namespace: '',
    action: 'create_market',
    arguments: [['hoodi_tt2', components, ...termArgs]],
  })
  expect(await client.getTransactionMarket({ txId })).toEqual({
    bridge: 'hoodi_tt2',
    queryComponents: components,
    market: client.decodeMarketData({ queryComponents: components }),
    settleTime: 100,
    maxSpread: 5,
    minOrderSize: '1',
  })
  const other = await client.executeProcedure({
    procedure: 'create_market',
    args: [['hoodi_tt2', bytes('00'), 1, 5, 1]],
  })
  expect(await client.getTransactionMarket({ txId: other })).toMatchObject({ market: null, settleTime: 1 })
  const deployed = await client.deployStream({ streamId: id })
  expect(await client.getTransactionMarket({ txId: deployed })).toBeNull()
  const run = await client.executeAgentAction({ wallet: own, action: 'cancel_order', args: [1, true, -5] })
  expect(await client.getTransactionInput({ txId: run })).toEqual({
    namespace: 'main',
    action: 'cancel_order',
    arguments: [[1n, true, -5n]],
  })
  await expect(client.getTransactionInput({ txId: hash })).rejects.toMatchObject({ code: 'transaction_not_found' })
  await expect(client.getTransactionInput({ txId: '' })).rejects.toThrow('tx_id is required')
})

test.each([
  [{ feeMode: 'BPS' }, "feeMode must be 'bps' or 'flat'"],
  [{ feeMode: 'bps', feeBps: 10_001 }, 'feeBps must be between 0 and 10000 (10000 = 100%), got 10001'],
  [{ feeMode: 'flat', feeFlat: '-1' }, 'fee_flat must be a whole number below 2^256'],
  [{ feeMode: 'bps', actions: [{ action: 'a' }, { action: 'a', namespace: 'main' }] }, 'actions must not repeat'],
  [
    { feeMode: 'bps', actions: [{ action: 'a', bodyHash: bytes('00') }] },
    'body_hash for main.a must be 32 bytes, got 1',
  ],
  [{ feeMode: 'bps', actions: [{ action: 'w'.repeat(256) }] }, 'length-prefixed field exceeds 255 bytes (got 256)'],
])('create_agent_rule refuses %j and sends nothing', async (terms, message) => {
  const node = createLoopbackNode()
  const client = new NetClient(node.endpoint, key, { platform: node.platform })
  await expect(perform(client, 'createAgentRule', terms)).rejects.toThrow(message)
  expect(node.requests).toEqual([])
})
