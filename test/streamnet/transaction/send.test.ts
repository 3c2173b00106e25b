import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '#streamnet/client.ts'
import { BulkInsertError, isStreamNetError } from '#streamnet/errors.ts'
import { insertRecord } from '#streamnet/operations/record-insertion.ts'
import { createSigner } from '#streamnet/signing/signer.ts'
import { createNonceSource } from '#streamnet/transaction/nonce.ts'
import { sendTransaction } from '#streamnet/transaction/send.ts'
import { chainId, createLoopbackNode, type Failure } from '../../support/loopback-node.ts'

const key = '11'.repeat(32)
const streamId = `st${'0'.repeat(30)}`
const record = { streamId, record: { date: 1, value: '1.5' } }

const connect = (nodeOptions: Parameters<typeof createLoopbackNode>[0] = {}, options: Partial<ClientOptions> = {}) => {
  const node = createLoopbackNode(nodeOptions)
  const client = createClient({
    endpoint: node.endpoint,
    platform: node.platform,
    signer: createSigner(key),
    ...options,
  })
  return { node, client }
}

describe('sendTransaction()', () => {
  test('asks chain and account, broadcasts, and waits for the block', async () => {
    const { node, client } = connect()
    const hash = await insertRecord(client, record)
    expect(node.methodsOf()).toEqual(['user.account', 'user.chain_info', 'user.broadcast', 'user.tx_query'])
    expect(node.included.get(hash)?.transaction.nonce).toBe(1)
  })

  test('asks for nothing but the broadcast the second time, when it need not wait', async () => {
    const { node, client } = connect()
    await insertRecord(client, { ...record, wait: false })
    await insertRecord(client, { ...record, wait: false })
    expect(node.methodsOf().slice(3)).toEqual(['user.broadcast'])
  })

  test('pays the estimated fee on a chain with fees', async () => {
    const { node, client } = connect({ gas: true })
    const hash = await insertRecord(client, record)
    expect(node.included.get(hash)?.transaction.fee).toBe(2000000000000000n)
  })

  test('signs the description', async () => {
    const { node, client } = connect()
    const hash = await insertRecord(client, { ...record, description: 'hällo' })
    expect(node.included.get(hash)?.transaction.description).toBe('hällo')
    await expect(insertRecord(client, { ...record, description: 'ä'.repeat(101) })).rejects.toMatchObject({
      code: 'invalid_argument',
    })
  })

  test('numbers concurrent transactions one after the other', async () => {
    const { node, client } = connect()
    const hashes = await Promise.all(
      Array.from({ length: 10 }, (_, date) =>
        insertRecord(client, { streamId, record: { date, value: 1 }, wait: false }),
      ),
    )
    expect(hashes.map((hash) => node.included.get(hash)?.transaction.nonce)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(1)
  })

  test('clients of one key can share their numbers', async () => {
    const nonces = createNonceSource()
    const { node, client } = connect({}, { nonces })
    const other = createClient({ endpoint: node.endpoint, platform: node.platform, signer: createSigner(key), nonces })
    await Promise.all([client, other, client].map((one) => insertRecord(one, { ...record, wait: false })))
    expect(node.executed).toHaveLength(3)
  })

  test('takes the expected nonce from the refusal and sends again', async () => {
    const { node, client } = connect()
    node.fail('user.broadcast', 'invalid_nonce')
    const hash = await insertRecord(client, record)
    expect(node.included.get(hash)?.transaction.nonce).toBe(5)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(1)
  })

  test('gives up after losing the race for a nonce four times, and says both numbers', async () => {
    const { node, client } = connect()
    node.fail('user.broadcast', 'invalid_nonce', 'invalid_nonce', 'invalid_nonce', 'invalid_nonce')
    const error = await insertRecord(client, record).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'invalid_nonce', data: { got: 13, expected: 17 } })
    expect(node.executed).toHaveLength(0)
  })

  test('refuses a node of another chain before it signs', async () => {
    const { node, client } = connect({}, { chainId: 'other' })
    await expect(insertRecord(client, record)).rejects.toMatchObject({ code: 'wrong_chain' })
    expect(node.methodsOf()).not.toContain('user.broadcast')
  })

  test('cannot write without a signer', async () => {
    const node = createLoopbackNode()
    const client = createClient({ endpoint: node.endpoint, platform: node.platform })
    await expect(insertRecord(client, record)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect(node.requests).toHaveLength(0)
  })

  test('throws what the chain said when the transaction failed there', async () => {
    const { node, client } = connect()
    node.fail('user.broadcast', 'chain_error')
    await expect(insertRecord(client, record)).rejects.toMatchObject({
      code: 'transaction_failed',
      message: 'transaction failed: a notice\nERROR: Only stream owner can do this',
      data: { txCode: 65535, reason: 'Only stream owner can do this', height: 101 },
    })
    // A failed transaction has used its nonce.
    await insertRecord(client, record)
    expect(node.nonces.get(createSigner(key).address)).toBe(2)
  })
})

const refusals: readonly [Failure, string][] = [
  ['mempool_full', 'mempool_full'],
  ['catching_up', 'node_catching_up'],
  ['wrong_chain', 'wrong_chain'],
  ['insufficient_balance', 'insufficient_balance'],
  ['broadcast_refused', 'broadcast_refused'],
  ['refused', 'connection_refused'],
  ['no_backend', 'no_backend'],
  ['rate_limited', 'rate_limited'],
  ['rpc_error', 'rpc_error'],
]

test.each(refusals)('a broadcast that meets %s is %s and is not sent again', async (failure, code) => {
  const { node, client } = connect()
  node.fail('user.broadcast', failure)
  await expect(insertRecord(client, record)).rejects.toMatchObject({ code })
  expect(node.methodsOf().filter((method) => method === 'user.broadcast')).toHaveLength(1)
  expect(node.methodsOf()).not.toContain('user.tx_query')
  await insertRecord(client, record)
  expect(node.executed).toHaveLength(1)
})

test.each(['lost_after', 'half', 'other_id'] as const)(
  'a broadcast that was accepted before %s is found by its hash and counts as sent',
  async (failure) => {
    const { node, client } = connect()
    node.fail('user.broadcast', failure)
    const hash = await insertRecord(client, record)
    expect(node.included.get(hash)?.code).toBe(0)
    expect(node.methodsOf().filter((method) => method === 'user.broadcast')).toHaveLength(1)
  },
)

test.each([
  ['lost_before', 'connection_lost'],
  ['timeout', 'timeout'],
  ['html', 'connection_lost'],
  ['nothing', 'connection_lost'],
] as const)(
  'a broadcast after %s that no node knows is %s with its hash, and is not sent again',
  async (failure, code) => {
    const { node, client } = connect()
    node.fail('user.broadcast', failure)
    const error = await insertRecord(client, record).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code, data: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) } })
    expect(node.methodsOf().filter((method) => method === 'user.broadcast')).toHaveLength(1)
    expect(node.sleeps).toEqual([1000, 1000])
    // The number is read again: whether the lost one was used is the node's to say.
    await insertRecord(client, record)
    expect(node.methodsOf().filter((method) => method === 'user.account')).toHaveLength(2)
  },
)

test('a request too large to estimate is invalid_argument', async () => {
  const { node, client } = connect({ gas: true })
  node.fail('user.estimate_price', 'estimate_failed')
  await expect(insertRecord(client, record)).rejects.toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('Request too large: The batch size exceeds the maximum allowed size'),
  })
})

test('waiting takes "not found" and a node that cannot read what it has just written for pending', async () => {
  const { node, client } = connect()
  node.fail('user.tx_query', 'node_internal', 'node_internal')
  await insertRecord(client, record)
  expect(node.sleeps).toEqual([1000, 1000])
})

test('waiting ends with timeout and the hash', async () => {
  const { node, client } = connect()
  node.fail('user.tx_query', ...Array.from({ length: 9 }, () => 'node_internal' as const))
  const error = await insertRecord(client, { ...record, timeoutMs: 3000 }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'timeout', data: { hash: expect.stringMatching(/^[0-9a-f]{64}$/) } })
  expect(node.sleeps).toEqual([1000, 1000, 1000])
})

test.each([
  ['what is not a number ends the wait at once', Number.NaN, []],
  ['a number in text is that number', '2000' as unknown as number, [1000, 1000]],
])('waiting: %s', async (_, timeoutMs, sleeps) => {
  const { node, client } = connect()
  node.fail('user.tx_query', ...Array.from({ length: 9 }, () => 'node_internal' as const))
  await expect(insertRecord(client, { ...record, timeoutMs })).rejects.toMatchObject({ code: 'timeout' })
  expect(node.sleeps).toEqual(sleeps)
})

test('the private key is in no error, request or address', async () => {
  for (const [failure] of [...refusals, ['html', ''], ['timeout', ''], ['lost_before', '']] as const) {
    const { node, client } = connect()
    node.fail('user.broadcast', failure)
    const error = await insertRecord(client, record).catch((caught: unknown) => caught)
    const shown = inspect([error, client, node.requests], { depth: 12, showHidden: true })
    expect(shown).not.toContain(key)
    expect(isStreamNetError(error)).toBe(true)
  }
})

test('an action runs once for each list of arguments, in one transaction', async () => {
  const { node, client } = connect()
  const args = (date: number) => [createSigner(key).address, streamId, date, null]
  await sendTransaction(client, 'insert_record', [args(1), args(2)])
  expect(node.executed[0]?.calls).toHaveLength(2)
  expect(node.nonces.get(createSigner(key).address)).toBe(1)
})

test('the chain is the loopback node’s own', async () => {
  const { client } = connect()
  expect(await client.chain()).toEqual({ chainId, hasFees: false })
})

test('errors keep their name when a bundler renames classes', () => {
  const details = { txHashes: [], drainFailure: false, failedChunkIndex: 0, unresolvedTxHash: undefined }
  expect(new BulkInsertError('x', details, undefined).name).toBe('BulkInsertError')
})
